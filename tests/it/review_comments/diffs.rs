//! Positions, lines and hunks match `git diff`.

use serde_json::json;

use super::model::{Row, hunk, rows};
use crate::support::pull_request::{PULL, PullRequestFixture};

/// A file with functions, so that hunks have headings, with scattered changes.
fn source(seed: u64) -> (String, String) {
    let mut state = seed;
    let mut next = move |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let (mut old, mut new) = (String::new(), String::new());
    for number in 0..60 {
        let line = if number % 9 == 0 { format!("fn part_{number}() {{\n") } else { format!("    step({number});\n") };
        match next(9) {
            0 => new.push_str(&format!("    added({number});\n{line}")),
            1 => new.push_str(&format!("    changed({number});\n")),
            2 => {}
            _ => new.push_str(&line),
        }
        old.push_str(&line);
    }
    if next(2) == 0 {
        new.pop();
    }
    (old, new)
}

async fn check_file(fixture: &PullRequestFixture, path: &str) {
    let rows = rows(&fixture.work, &fixture.base, &fixture.head, path);
    assert!(rows.len() > 3, "{path} has something to check");
    for (position, row) in rows.iter().enumerate() {
        let response = fixture.comment(json!({ "path": path, "position": position })).await;
        let expected = match row.mark {
            '-' => Some(("LEFT", row.old)),
            '+' | ' ' => Some(("RIGHT", row.new)),
            _ => None,
        };
        let Some((side, line)) = expected else {
            assert_eq!(response.status, 422, "{path} {position} {row:?}");
            continue;
        };
        let comment = response.expect(201).json();
        assert_eq!((&comment["side"], &comment["line"]), (&json!(side), &json!(line)), "{path} {position}");
        assert_eq!(comment["diff_hunk"], hunk(&rows, position), "{path} {position}");
        let back = fixture.comment(json!({ "path": path, "side": side, "line": line })).await.expect(201).json();
        assert_eq!((&back["position"], &back["diff_hunk"]), (&json!(position), &comment["diff_hunk"]));
    }
    let last = rows.iter().map(|row| row.old.max(row.new)).max().unwrap_or_default();
    for line in 1..=last + 2 {
        for (side, marks) in [("LEFT", "- "), ("RIGHT", "+ ")] {
            let shown = |row: &Row| marks.contains(row.mark) && line == if side == "LEFT" { row.old } else { row.new };
            let response = fixture.comment(json!({ "path": path, "side": side, "line": line })).await;
            let expected = rows.iter().position(shown);
            match expected {
                Some(position) => assert_eq!(response.expect(201).json()["position"], position, "{path} {side} {line}"),
                None => assert_eq!(response.status, 422, "{path} {side} {line}"),
            }
        }
    }
}

#[tokio::test]
async fn comments_are_accepted_exactly_on_diff_rows() {
    let sources: Vec<_> = (1..=3).map(source).collect();
    let base = [
        ("src/one.rs", sources[0].0.as_str()),
        ("two words.rs", &sources[1].0),
        ("gone.txt", "a\nb\nc\n"),
        ("old/name.rs", &sources[2].0),
    ];
    let moved = format!("{}    last();\n", sources[2].0);
    let head = [
        ("src/one.rs", Some(sources[0].1.as_str())),
        ("two words.rs", Some(sources[1].1.as_str())),
        ("gone.txt", None),
        ("new.txt", Some("x\ny")),
        ("old/name.rs", None),
        ("new/name.rs", Some(moved.as_str())),
    ];
    let fixture = PullRequestFixture::new(&base, &head).await;
    for path in ["src/one.rs", "two words.rs", "gone.txt", "new.txt"] {
        check_file(&fixture, path).await;
    }
    // A renamed file is in the diff under its new name; its left side is the file under the old name.
    fixture.comment(json!({ "path": "old/name.rs", "line": 60 })).await.expect(422);
    let left = fixture.comment(json!({ "path": "new/name.rs", "line": 60, "side": "LEFT" })).await.expect(201).json();
    assert_eq!(left["diff_hunk"].as_str().expect("text").lines().count(), 4);
}

#[tokio::test]
async fn files_commits_diff_and_patch_match_git() {
    let (old, new) = source(7);
    let base = [("a b.rs", old.as_str()), ("gone", "x\n"), ("name", &old), ("bin", "\0a")];
    let head =
        [("a b.rs", Some(new.as_str())), ("gone", None), ("name", None), ("other", Some(&old)), ("bin", Some("\0b"))];
    let fixture = PullRequestFixture::new(&base, &head).await;
    let mona = fixture.user("mona");
    let diff = fixture.work.git(&["diff", "-M", &fixture.base, &fixture.head]);
    for accept in ["application/vnd.github.v3.diff", "application/vnd.plinth.diff"] {
        let response = fixture.user("mona").header("accept", accept).get(PULL).await.expect(200);
        assert_eq!(String::from_utf8_lossy(&response.body), diff);
        assert!(response.header("content-type").expect("a type").starts_with("application/vnd.github.v3.diff"));
    }
    let files = mona.get("/repos/acme/rocket/pulls/1/files").await.expect(200).json();
    let shown: Vec<_> = files
        .as_array()
        .expect("a list")
        .iter()
        .map(|file| {
            let text = |name: &str| file.get(name).map_or("-".to_owned(), |value| value.to_string().replace('"', ""));
            let names = ["filename", "status", "additions", "deletions", "previous_filename"];
            format!("{} {}", names.map(text).join(" "), file.get("patch").is_some())
        })
        .collect();
    let numbers = fixture.work.git(&["diff", "--numstat", &fixture.base, &fixture.head, "--", "a b.rs"]);
    let counts = numbers.split('\t').take(2).collect::<Vec<_>>().join(" ");
    assert_eq!(
        shown,
        [
            &format!("a b.rs modified {counts} - true"),
            "bin modified 0 0 - false",
            "gone removed 0 1 - true",
            "other renamed 0 0 name false",
        ]
    );
    let second = mona.get("/repos/acme/rocket/pulls/1/files?per_page=1&page=3").await.expect(200);
    assert_eq!(second.json()[0]["filename"], "gone");
    assert!(second.header("link").expect("pages").contains("page=4"));
    let commits = mona.get("/repos/acme/rocket/pulls/1/commits").await.expect(200).json();
    assert_eq!((&commits[0]["sha"], commits.as_array().map(Vec::len)), (&json!(fixture.head), Some(1)));
    let pull = mona.get(PULL).await.expect(200).json();
    assert_eq!((&pull["commits"], &pull["changed_files"]), (&json!(1), &json!(4)));
}

#[tokio::test]
async fn patch_applies_with_git_am() {
    let (old, new) = source(9);
    let fixture =
        PullRequestFixture::new(&[("a b.rs", &old), ("gone", "x\n")], &[("a b.rs", Some(&new)), ("gone", None)]).await;
    let second = fixture.commit_on(&fixture.head, &[("added", Some("y"))]);
    fixture.push("feature", &second).await;
    let client = fixture.user("mona").header("accept", "application/vnd.github.patch");
    let patch = client.get(PULL).await.expect(200);
    fixture.work.git(&["checkout", "-q", "--detach", &fixture.base]);
    fixture.work.git_with(&["am", "-q"], &String::from_utf8_lossy(&patch.body));
    let trees = fixture.work.git(&["rev-parse", "HEAD^{tree}", &format!("{second}^{{tree}}")]);
    let trees: Vec<_> = trees.lines().collect();
    assert_eq!(trees[0], trees[1]);
    assert_eq!(fixture.work.git(&["log", "--format=%an <%ae>", "-1"]).trim(), "hubot <hubot@example.com>");
}
