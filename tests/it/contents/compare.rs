//! Comparisons of two commits.

use expect_test::expect;
use serde_json::{Value, json};

use super::{Fixture, NewCommit, REPO, entry, file, relations, values};

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

/// `main` and `feature` have both gone on from the same commit, `feature` with a merge; `other` has nothing in common.
async fn fixture() -> Fixture {
    let commit = |branch, mark: usize, parents, changes| {
        let seconds = 1_700_000_000 + i64::try_from(mark).expect("a small number") * 60;
        NewCommit { branch, mark, parents, author: "mona", seconds, changes }.write()
    };
    let stream = [
        commit("main", 1, &[], file("a", LINES) + &file("old", LINES) + &file("gone", "x\n")),
        commit("main", 2, &[1], file("b", "b\n")),
        commit("feature", 3, &[1], file("a", &LINES.replace('5', "five"))),
        commit("feature", 4, &[3], format!("R old new/name\nD gone\n{}", entry("100755", "run", "#!\n"))),
        commit("feature", 5, &[4, 2], file("b", "b\n") + &file("c", "c\n")),
        commit("feature", 6, &[5], file("bin", "\0\u{1}\n")),
        commit("main", 7, &[2], file("a", &LINES.replace('1', "one"))),
        commit("other", 8, &[], file("a", "other\n")),
        "reset refs/heads/deep/er\nfrom :4\n\ntag v1\nfrom :1\ntagger m <m@example.com> 0 +0000\ndata 1\nx\n"
            .to_owned(),
    ];
    Fixture::new(&stream.concat()).await
}

fn files(comparison: &Value) -> Vec<String> {
    let files = comparison["files"].as_array().expect("a list").iter();
    let counted = |file: &Value| {
        format!("{}\t{}\t{}", file["additions"], file["deletions"], file["filename"].as_str().expect("a name"))
    };
    files.map(counted).collect()
}

#[tokio::test]
async fn comparison_is_that_of_git() {
    let fixture = fixture().await;
    let (first, tip) = (fixture.sha("v1^{commit}"), fixture.sha("feature"));
    for (base, head, status) in [
        ("main", "feature", "diverged"),
        ("feature", "main", "diverged"),
        ("v1", "feature", "ahead"),
        (&first, &tip, "ahead"),
        ("feature", "v1", "behind"),
        ("main", "main", "identical"),
        ("v1", "deep/er", "ahead"),
        ("deep/er", "feature", "ahead"),
        ("acme:main", "ACME:rocket:feature", "diverged"),
    ] {
        let (git_base, git_head) = (base.rsplit(':').next().unwrap(), head.rsplit(':').next().unwrap());
        for (dots, range) in [("...", format!("{git_base}...{git_head}")), ("..", format!("{git_base}..{git_head}"))] {
            let path = format!("/compare/{base}{dots}{head}");
            let found = fixture.get(&path).await.expect(200).json();
            assert_eq!(found["status"], status, "{path}");
            let counts = fixture.git(&["rev-list", "--left-right", "--count", &format!("{git_base}...{git_head}")]);
            assert_eq!(format!("{}\t{}", found["behind_by"], found["ahead_by"]), counts[0], "{path}");
            assert_eq!(found["total_commits"], found["ahead_by"]);
            let commits = fixture.git(&["rev-list", "--reverse", &format!("{git_base}..{git_head}")]);
            assert_eq!(values(&found["commits"], "sha"), commits, "{path}");
            assert_eq!(found["base_commit"]["sha"], json!(fixture.sha(&format!("{git_base}^{{commit}}"))));
            let merge_base = fixture.git(&["merge-base", git_base, git_head]);
            assert_eq!(found["merge_base_commit"]["sha"], json!(merge_base[0]), "{path}");
            let names = fixture.git(&["diff", "-M", "--name-only", &range]);
            assert_eq!(values(&found["files"], "filename"), names, "{path}");
            let diff = fixture.guest().header("accept", "application/vnd.github.v3.diff");
            let diff = diff.get(&format!("{REPO}{path}")).await.expect(200);
            assert_eq!(String::from_utf8_lossy(&diff.body), fixture.work.git(&["diff", "-M", &range]), "{path}");
        }
    }
}

#[tokio::test]
async fn comparison_has_every_field() {
    let fixture = fixture().await;
    let mut found = fixture.get("/compare/main...feature").await.expect(200).json();
    assert_eq!(files(&found), ["1\t1\ta", "0\t0\tbin", "1\t0\tc", "0\t1\tgone", "0\t0\tnew/name", "1\t0\trun"]);
    assert_eq!(found["files"][4]["previous_filename"], "old");
    assert_eq!(found["files"][4]["status"], "renamed");
    for key in ["base_commit", "merge_base_commit", "commits", "files"] {
        found.as_object_mut().expect("an object").remove(key);
    }
    expect![[r#"
        {
          "ahead_by": 4,
          "behind_by": 1,
          "diff_url": "http://plinth.test/acme/rocket/compare/main...feature.diff",
          "html_url": "http://plinth.test/acme/rocket/compare/main...feature",
          "patch_url": "http://plinth.test/acme/rocket/compare/main...feature.patch",
          "permalink_url": "http://plinth.test/acme/rocket/compare/acme:c0fe1a2...acme:33119d3",
          "status": "diverged",
          "total_commits": 4,
          "url": "http://plinth.test/repos/acme/rocket/compare/main...feature"
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&found).expect("JSON"));
}

#[tokio::test]
async fn commits_have_pages_and_files_are_on_the_first() {
    let fixture = fixture().await;
    let commits = fixture.git(&["rev-list", "--reverse", "v1..feature"]);
    let mut seen = Vec::new();
    for number in 1..=3 {
        let page = fixture.get(&format!("/compare/v1...feature?per_page=2&page={number}")).await.expect(200);
        assert_eq!(relations(&page).contains(&"next".to_owned()), number < 3, "{number}");
        let found = page.json();
        assert_eq!((&found["ahead_by"], files(&found).is_empty()), (&json!(5), number > 1));
        seen.extend(values(&found["commits"], "sha"));
    }
    assert_eq!(seen, commits);
}

#[tokio::test]
async fn at_most_300_files_and_250_commits_are_returned() {
    let many: String = (0..301).map(|number| file(&format!("f{number:03}"), "x\n")).collect();
    let commit = |mark: usize, parents: &[usize], changes| {
        let seconds = 1_700_000_000 + i64::try_from(mark).expect("a small number");
        NewCommit { branch: "main", mark, parents, author: "mona", seconds, changes }.write()
    };
    let mut stream = commit(1, &[], String::new()) + "reset refs/tags/start\nfrom :1\n\n" + &commit(2, &[1], many);
    for mark in 3..=252 {
        stream += &commit(mark, &[mark - 1], String::new());
    }
    let fixture = Fixture::new(&stream).await;
    let found = fixture.get("/compare/start...main").await.expect(200).json();
    let commits = fixture.git(&["rev-list", "--reverse", "start..main"]);
    assert_eq!((commits.len(), &found["total_commits"]), (251, &json!(251)));
    assert_eq!(values(&found["commits"], "sha"), commits[1..]);
    let names = fixture.git(&["diff", "--name-only", "start", "main"]);
    assert_eq!(values(&found["files"], "filename"), names[..300]);
}

#[tokio::test]
async fn patches_apply_with_git() {
    let fixture = fixture().await;
    let client = fixture.guest().header("accept", "application/vnd.github.patch");
    let patch = client.get(&format!("{REPO}/compare/v1...deep/er")).await.expect(200);
    assert_eq!(patch.header("content-type"), Some("application/vnd.github.v3.patch; charset=utf-8"));
    fixture.work.git(&["checkout", "-q", "-f", "--detach", "v1"]);
    fixture.work.git_with(&["am", "-q"], &String::from_utf8_lossy(&patch.body));
    assert_eq!(fixture.sha("HEAD^{tree}"), fixture.sha("deep/er^{tree}"));
    assert_eq!(fixture.git(&["rev-list", "--count", "v1..HEAD"]), ["2"]);
}

#[tokio::test]
async fn unknown_and_unrelated_commits_are_not_found() {
    let fixture = fixture().await;
    let blob = fixture.sha("main:a");
    for basehead in [
        "main...none",
        "none...main",
        "main",
        "main...",
        "...main",
        "main....feature",
        "main...other",
        "main..other",
        "hubot:main...feature",
        "acme:other:main...feature",
        &format!("main...{blob}"),
        &format!("main...{}", "1".repeat(40)),
        "%00...main",
    ] {
        fixture.get(&format!("/compare/{basehead}")).await.expect(404);
    }
    fixture.guest().get("/repos/acme/empty/compare/main...main").await.expect(404);
}
