//! Diff, patch, files and commits of real pull requests.

use serde_json::Value;

use super::git_oracle::{Changed, changed_files, merge_base};
use super::pairs::{self, Pair};
use super::{HistoryFixture, files_of, mails};

#[tokio::test]
async fn pull_requests_of_real_history_match_git_files_commits_and_diffs() {
    let Some((fixture, drawn)) = HistoryFixture::with_pairs().await else { return };
    let mut renames = 0;
    for (number, pair) in drawn.iter().enumerate() {
        let pull = pairs::propose(&fixture, number).await;
        let expected = changed_files(&fixture.work, &merge_base(&fixture.work, &pair.base, &pair.head), &pair.head);
        renames += expected.iter().filter(|file| file.status == "renamed").count();
        check_files(&fixture, &pull, &expected).await;
        check_counts(&fixture, &pull, pair, &expected).await;
        check_diff(&fixture, &pull, pair).await;
        check_commits(&fixture, &pull, pair).await;
        mails::check(&fixture, &pull, pair).await;
    }
    assert!(renames >= 1, "some files of this history were moved");
}

async fn check_files(fixture: &HistoryFixture, pull: &str, expected: &[Changed]) {
    let found = files_of(fixture, pull).await;
    assert_eq!(found.len(), expected.len(), "{pull}");
    for (found, expected) in found.iter().zip(expected) {
        let text = |name: &str| found[name].as_str();
        let about = format!("{} of {pull}", expected.path);
        assert_eq!(text("filename"), Some(expected.path.as_str()), "{about}");
        assert_eq!(text("status"), Some(expected.status), "{about}");
        assert_eq!(text("previous_filename"), expected.previous_path.as_deref(), "{about}");
        assert_eq!(text("sha"), Some(expected.sha.as_str()), "{about}");
        assert_eq!(text("patch"), expected.patch(), "{about}");
        let (additions, deletions) = (found["additions"].as_u64(), found["deletions"].as_u64());
        assert_eq!((additions, deletions), (Some(expected.additions), Some(expected.deletions)), "{about}");
    }
}

async fn check_counts(fixture: &HistoryFixture, pull: &str, pair: &Pair, expected: &[Changed]) {
    let shown = fixture.mona().get(pull).await.expect(200).json();
    let count = fixture.work.git(&["rev-list", "--count", &pair.range()]);
    let sum = |number: fn(&Changed) -> u64| expected.iter().map(number).sum::<u64>();
    let counted = [
        ("changed_files", expected.len() as u64),
        ("additions", sum(|file| file.additions)),
        ("deletions", sum(|file| file.deletions)),
        ("commits", count.trim().parse().expect("a number")),
    ];
    for (name, number) in counted {
        assert_eq!(shown[name].as_u64(), Some(number), "{name} of {pull}");
    }
}

async fn check_diff(fixture: &HistoryFixture, pull: &str, pair: &Pair) {
    let client = fixture.mona().header("accept", "application/vnd.github.diff");
    let found = client.get(pull).await.expect(200);
    let base = merge_base(&fixture.work, &pair.base, &pair.head);
    let expected = fixture.work.git_bytes(&["diff", "-M", &base, &pair.head], "");
    assert!(found.body == expected, "the diff of {pull} differs from that of {base} {}", pair.head);
}

async fn check_commits(fixture: &HistoryFixture, pull: &str, pair: &Pair) {
    let listed = fixture.mona().get(&format!("{pull}/commits?per_page=100")).await.expect(200).json();
    let shown: Vec<String> = listed.as_array().expect("a list").iter().map(shown).collect();
    let format = "--format=%H%n%T%n%P%n%an <%ae> %at%n%cn <%ce> %ct%n%B%x00";
    let expected = fixture.work.git(&["log", "--reverse", format, &pair.range()]);
    let expected: Vec<&str> = expected.split('\0').map(str::trim).filter(|text| !text.is_empty()).collect();
    assert_eq!(shown[..], expected[..expected.len().min(100)], "{pull}");
}

fn shown(item: &Value) -> String {
    let commit = &item["commit"];
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let person = |person: &Value| {
        let date: jiff::Timestamp = text(&person["date"]).parse().expect("a date");
        format!("{} <{}> {}", text(&person["name"]), text(&person["email"]), date.as_second())
    };
    let parents: Vec<_> = item["parents"].as_array().expect("a list").iter().map(|one| text(&one["sha"])).collect();
    let lines = [
        text(&item["sha"]),
        text(&commit["tree"]["sha"]),
        parents.join(" "),
        person(&commit["author"]),
        person(&commit["committer"]),
        text(&commit["message"]),
    ];
    lines.join("\n").trim().to_owned()
}
