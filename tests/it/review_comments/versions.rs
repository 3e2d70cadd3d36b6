//! Comments over several versions: files that move together, heads that come back, ranges over both sides.

use serde_json::{Value, json};

use super::{fixture, numbered};
use crate::support::pull_request::{PULL, PullRequestFixture};

async fn comment(fixture: &PullRequestFixture, fields: Value) -> Value {
    fixture.comment(fields).await.expect(201).json()
}

/// Computes and stores the positions of the last version, which otherwise happens at some time after a push.
async fn refresh(fixture: &PullRequestFixture) {
    let id = |value: Value| value["id"].as_i64().expect("a number");
    let repo = id(fixture.user("mona").get("/repos/acme/rocket").await.json());
    let pull = id(fixture.user("mona").get(PULL).await.json());
    let (repo, pull) = (plinth_base::ids::RepoId(repo), plinth_base::ids::PullId(pull));
    plinth_core::pulls::refresh_pull(&fixture.service.app, repo, pull).await.expect("refreshed");
}

#[tokio::test]
async fn comments_on_similar_files_that_move_together_stay_apart() {
    let content = |name: &str, port: &str| format!("{}name: {name}\nport: {port}\n", numbered(&[]));
    let (dev, prod) = (content("dev", "1"), content("prod", "2"));
    let fixture = PullRequestFixture::new(
        &[("other", "x\n")],
        &[("config/dev.yml", Some(&dev)), ("config/prod.yml", Some(&prod))],
    )
    .await;
    let on_dev = comment(&fixture, json!({ "path": "config/dev.yml", "line": 3 })).await;
    let on_prod = comment(&fixture, json!({ "path": "config/prod.yml", "line": 3 })).await;
    // Each new file has more in common with the other old one.
    let (new_dev, new_prod) = (content("prod", "1"), content("dev", "2"));
    let moved = fixture.commit_on(
        &fixture.head,
        &[
            ("config/dev.yml", None),
            ("config/prod.yml", None),
            ("conf.d/dev.yml", Some(&new_dev)),
            ("conf.d/prod.yml", Some(&new_prod)),
        ],
    );
    let git = fixture.work.git(&["diff", "-M", "--name-status", &fixture.head, &moved]);
    fixture.push("feature", &moved).await;
    for (comment, old) in [(on_dev, "config/dev.yml"), (on_prod, "config/prod.yml")] {
        let line = git.lines().find(|line| line.contains(&format!("\t{old}\t"))).expect("git finds the rename");
        let expected = line.rsplit('\t').next().expect("a path");
        let now = fixture.get(&comment["id"]).await;
        assert_eq!((&now["path"], &now["line"]), (&json!(expected), &json!(3)), "{old}");
    }
}

#[tokio::test]
async fn comment_outdated_again_by_the_same_head_has_the_last_head_that_had_it() {
    let fixture = fixture().await;
    let comment = comment(&fixture, json!({ "line": 3 })).await;
    let first = fixture.head.clone();
    let without = fixture.commit_on(&first, &[("file", Some(&numbered(&[(20, "twenty\n")])))]);
    let again = fixture.commit_on(&without, &[("file", Some(&numbered(&[(3, "three\n"), (21, "more\n")])))]);
    for (head, expected) in
        [(&without, &first), (&again, &again), (&without, &again), (&first, &first), (&without, &first)]
    {
        fixture.push("feature", head).await;
        refresh(&fixture).await;
        let now = fixture.get(&comment["id"]).await;
        assert_eq!(now["line"].is_null(), head == &without);
        assert_eq!(&now["commit_id"], &json!(expected), "after a push of {head}");
    }
}

#[tokio::test]
async fn range_over_both_sides_does_not_begin_below_its_end() {
    let fixture = PullRequestFixture::new(
        &[("file", "top\nold\nmiddle\nlater\nend\n")],
        &[("file", Some("top\nnew\nmiddle\nend\n"))],
    )
    .await;
    let range = json!({ "line": 2, "side": "RIGHT", "start_line": 2, "start_side": "LEFT" });
    let comment = comment(&fixture, range).await;
    assert_eq!((&comment["start_line"], &comment["position"]), (&json!(2), &json!(3)));
    // `later` was below the end of the range. Without `old` and `middle` it is directly above the end.
    let base = fixture.commit_on(&fixture.base, &[("file", Some("top\nlater\nend\n"))]);
    let head = fixture.commit_on(&base, &[("file", Some("top\nnew\nend\n"))]);
    fixture.push("main", &base).await;
    fixture.push("feature", &head).await;
    let now = fixture.get(&comment["id"]).await;
    assert_eq!((&now["line"], &now["position"]), (&json!(2), &json!(3)));
    assert_eq!((&now["start_line"], &now["start_side"]), (&Value::Null, &Value::Null));
}
