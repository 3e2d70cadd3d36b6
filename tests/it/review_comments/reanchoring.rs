//! Comments are re-anchored after pushes, rebases, reverts and moves of the base.

use serde_json::{Value, json};

use super::{fixture, numbered};
use crate::support::pull_request::PullRequestFixture;

const HEAD: &[(usize, &str)] = &[(3, "three\n"), (4, "four\nand more\n"), (20, "twenty\n"), (25, "")];

fn with(changes: &[(usize, &'static str)]) -> String {
    let remaining = HEAD.iter().filter(|(at, _)| !changes.iter().any(|(changed, _)| changed == at));
    numbered(&remaining.copied().chain(changes.iter().copied()).collect::<Vec<_>>())
}

async fn push(fixture: &PullRequestFixture, parent: &str, content: &str) -> String {
    let head = fixture.commit_on(parent, &[("file", Some(content))]);
    fixture.push("feature", &head).await;
    head
}

/// `path side line start_line position`, with nulls if the comment is outdated.
async fn shown(fixture: &PullRequestFixture, comment: &Value) -> String {
    let now = fixture.get(&comment["id"]).await;
    for field in
        ["original_line", "original_position", "original_commit_id", "original_start_line", "diff_hunk", "side"]
    {
        assert_eq!(now[field], comment[field], "{field} never changes");
    }
    let listed = fixture.user("mona").get(crate::support::pull_request::COMMENTS).await.expect(200).json();
    let listed = listed.as_array().expect("a list").iter().find(|other| other["id"] == comment["id"]).cloned();
    assert_eq!(listed.as_ref(), Some(&now), "the list says the same");
    ["path", "side", "line", "start_line", "position"].map(|name| now[name].to_string().replace('"', "")).join(" ")
}

async fn comment(fixture: &PullRequestFixture, fields: Value) -> Value {
    fixture.comment(fields).await.expect(201).json()
}

#[tokio::test]
async fn inserted_lines_move_comment_down() {
    let fixture = fixture().await;
    let right = comment(&fixture, json!({ "line": 20 })).await;
    let left = comment(&fixture, json!({ "line": 25, "side": "LEFT" })).await;
    let range = comment(&fixture, json!({ "line": 5, "start_line": 3, "start_side": "RIGHT" })).await;
    assert_eq!(shown(&fixture, &right).await, "file RIGHT 20 null 14");
    let head = push(&fixture, &fixture.head, &format!("new\n{}", with(&[]))).await;
    assert_eq!(shown(&fixture, &right).await, "file RIGHT 21 null 15");
    assert_eq!(shown(&fixture, &left).await, "file LEFT 25 null 22");
    assert_eq!(shown(&fixture, &range).await, "file RIGHT 6 4 8");
    assert_eq!(fixture.get(&right["id"]).await["commit_id"], json!(head));
}

#[tokio::test]
async fn edited_or_deleted_line_outdates_comment_until_revert() {
    let fixture = fixture().await;
    let edited = comment(&fixture, json!({ "line": 4 })).await;
    let deleted = comment(&fixture, json!({ "line": 21 })).await;
    let first = fixture.head.clone();
    let second = push(&fixture, &first, &with(&[(10, "ten\n")])).await;
    assert_eq!(shown(&fixture, &edited).await, "file RIGHT 4 null 6");
    let third = push(&fixture, &second, &with(&[(4, "vier\n"), (20, "")])).await;
    assert_eq!(shown(&fixture, &edited).await, "file RIGHT null null null");
    assert_eq!(shown(&fixture, &deleted).await, "file RIGHT null null null");
    assert_eq!(fixture.get(&edited["id"]).await["commit_id"], json!(second), "the last head on which it was there");
    push(&fixture, &third, &with(&[])).await;
    assert_eq!(shown(&fixture, &edited).await, "file RIGHT 4 null 6");
    assert_eq!(shown(&fixture, &deleted).await, "file RIGHT 21 null 16");
    fixture.push("feature", &first).await;
    assert_eq!(shown(&fixture, &edited).await, "file RIGHT 4 null 6", "force-pushed back");
    assert_eq!(fixture.get(&edited["id"]).await["commit_id"], json!(first));
}

#[tokio::test]
async fn deleted_file_outdates_comment_and_renamed_file_keeps_it() {
    let fixture = fixture().await;
    let line = comment(&fixture, json!({ "line": 4 })).await;
    let file = comment(&fixture, json!({ "subject_type": "file" })).await;
    let renamed = format!("new\n{}", with(&[(28, "eight\n")]));
    let head = fixture.commit_on(&fixture.head, &[("file", None), ("directory/moved", Some(&renamed))]);
    fixture.push("feature", &head).await;
    assert_eq!(shown(&fixture, &line).await, "directory/moved RIGHT 5 null 7");
    assert_eq!(shown(&fixture, &file).await, "directory/moved RIGHT 1 null 1");
    let gone = fixture.commit_on(&fixture.head, &[("file", None)]);
    fixture.push("feature", &gone).await;
    assert_eq!(shown(&fixture, &line).await, "file RIGHT null null null");
    assert_eq!(shown(&fixture, &file).await, "file RIGHT null null null");
}

#[tokio::test]
async fn rebase_keeps_comment_on_unchanged_line() {
    let fixture = fixture().await;
    let right = comment(&fixture, json!({ "line": 20 })).await;
    let left = comment(&fixture, json!({ "line": 20, "side": "LEFT" })).await;
    let base = fixture.commit_on(&fixture.base, &[("file", Some(&format!("base\n{}", numbered(&[]))))]);
    fixture.push("main", &base).await;
    assert_eq!(shown(&fixture, &right).await, "file RIGHT 20 null 14", "the merge base is still the same");
    push(&fixture, &base, &format!("base\n{}", with(&[]))).await;
    assert_eq!(shown(&fixture, &right).await, "file RIGHT 21 null 15");
    assert_eq!(shown(&fixture, &left).await, "file LEFT 21 null 16");
}

#[tokio::test]
async fn changed_base_moves_comment_to_new_diff() {
    let fixture = fixture().await;
    let left = comment(&fixture, json!({ "line": 3, "side": "LEFT" })).await;
    let late = comment(&fixture, json!({ "line": 20 })).await;
    // The base gets the first half of the change, as if it were merged separately.
    let half =
        fixture.commit_on(&fixture.base, &[("file", Some(&numbered(&[(3, "three\n"), (4, "four\nand more\n")])))]);
    fixture.work.git(&["checkout", "-q", "--detach", &half]);
    fixture.bring_objects().await;
    let branch = json!({ "ref": "refs/heads/half", "sha": half });
    fixture.user("mona").post("/repos/acme/rocket/git/refs", branch).await.expect(201);
    let head = push(&fixture, &half, &with(&[])).await;
    assert_eq!(shown(&fixture, &late).await, "file RIGHT 20 null 14", "main is still the base");
    let changed =
        fixture.user("mona").patch(crate::support::pull_request::PULL, json!({ "base": "half" })).await.expect(200);
    assert_eq!(changed.json()["base"]["sha"], json!(half));
    assert_eq!(changed.json()["head"]["sha"], json!(head));
    assert_eq!(shown(&fixture, &late).await, "file RIGHT 20 null 3");
    assert_eq!(shown(&fixture, &left).await, "file LEFT null null null", "the deletion is no longer in the diff");
}

#[tokio::test]
async fn undone_deletion_outdates_comment() {
    let fixture = fixture().await;
    let deletion = comment(&fixture, json!({ "line": 25, "side": "LEFT" })).await;
    let context = comment(&fixture, json!({ "line": 24, "side": "LEFT" })).await;
    push(&fixture, &fixture.head, &with(&[(25, "line 25\n"), (26, "six\n")])).await;
    assert_eq!(shown(&fixture, &deletion).await, "file LEFT null null null");
    assert_eq!(shown(&fixture, &context).await, "file LEFT 24 null 20");
}

#[tokio::test]
async fn range_comment_shrinks_to_surviving_lines() {
    let fixture = fixture().await;
    let same = comment(&fixture, json!({ "line": 5, "start_line": 3, "start_side": "RIGHT" })).await;
    let mixed = comment(&fixture, json!({ "line": 4, "start_line": 3, "start_side": "LEFT" })).await;
    push(&fixture, &fixture.head, &with(&[(3, "drei\n")])).await;
    assert_eq!(shown(&fixture, &same).await, "file RIGHT 5 4 7", "the start is lost, the next line replaces it");
    assert_eq!(shown(&fixture, &mixed).await, "file RIGHT 4 3 6");
    push(&fixture, &fixture.head, &with(&[(3, "drei\n"), (4, "vier\nand more\n")])).await;
    assert_eq!(fixture.get(&same["id"]).await["start_line"], json!(null), "only the end is left");
    assert_eq!(shown(&fixture, &same).await, "file RIGHT 5 null 7");
    push(&fixture, &fixture.head, &with(&[(4, "four\nund mehr\n")])).await;
    assert_eq!(shown(&fixture, &same).await, "file RIGHT null null null", "the end decides");
}

#[tokio::test]
async fn comments_on_unusual_files_are_reanchored() {
    let base = [
        ("crlf", "a\r\nb\r\nc\r\n"),
        ("open", "a\nb\nc"),
        ("binary", "\0one"),
        ("near", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
    ];
    let head = [
        ("crlf", Some("a\r\nB\r\nc\r\n")),
        ("open", Some("a\nb\nC")),
        ("binary", Some("\0two")),
        ("near", Some("1\n2\n3\n4\n5\n6\n7\n8\nnine\n")),
    ];
    let fixture = PullRequestFixture::new(&base, &head).await;
    let crlf = comment(&fixture, json!({ "path": "crlf", "line": 2 })).await;
    assert_eq!(crlf["diff_hunk"], "@@ -1,3 +1,3 @@\n a\r\n-b\r\n+B\r");
    let open = comment(&fixture, json!({ "path": "open", "line": 3 })).await;
    assert_eq!(open["diff_hunk"], "@@ -1,3 +1,3 @@\n a\n b\n-c\n\\ No newline at end of file\n+C");
    assert_eq!(open["position"], 5);
    fixture.comment(json!({ "path": "open", "position": 4 })).await.expect(422);
    fixture.comment(json!({ "path": "binary", "line": 1 })).await.expect(422);
    let binary = comment(&fixture, json!({ "path": "binary", "subject_type": "file" })).await;
    let near = comment(&fixture, json!({ "path": "near", "line": 6 })).await;
    let next = fixture.commit_on(
        &fixture.head,
        &[
            ("crlf", Some("0\r\na\r\nB\r\nc\r\n")),
            ("open", Some("0\na\nb\nC")),
            ("binary", Some("\0three")),
            ("near", Some("1\n2\n3\n4\n5\n6\n7\n8\n9\nten\n")),
        ],
    );
    fixture.push("feature", &next).await;
    assert_eq!(shown(&fixture, &crlf).await, "crlf RIGHT 3 null 4");
    assert_eq!(shown(&fixture, &open).await, "open RIGHT 4 null 6");
    assert_eq!(shown(&fixture, &binary).await, "binary RIGHT 1 null 1");
    assert_eq!(shown(&fixture, &near).await, "near RIGHT null null null", "it is there, but outside of the hunk");
}

#[tokio::test]
async fn background_reanchoring_equals_reanchoring_on_read() {
    let fixture = fixture().await;
    let comments = [
        comment(&fixture, json!({ "line": 4 })).await,
        comment(&fixture, json!({ "line": 20 })).await,
        comment(&fixture, json!({ "line": 25, "side": "LEFT" })).await,
        comment(&fixture, json!({ "subject_type": "file" })).await,
    ];
    let second = push(&fixture, &fixture.head, &format!("new\n{}", with(&[(4, "vier\n")]))).await;
    push(&fixture, &second, &with(&[(4, "vier\n"), (8, "acht\n")])).await;
    let mut before = Vec::new();
    for comment in &comments {
        before.push(fixture.get(&comment["id"]).await);
    }
    let repo = fixture.user("mona").get("/repos/acme/rocket").await.json()["id"].as_i64().expect("a number");
    let pull =
        fixture.user("mona").get(crate::support::pull_request::PULL).await.json()["id"].as_i64().expect("a number");
    plinth_core::pulls::refresh_pull(
        &fixture.service.app,
        plinth_base::ids::RepoId(repo),
        plinth_base::ids::PullId(pull),
    )
    .await
    .expect("settled");
    for (comment, before) in comments.iter().zip(before) {
        assert_eq!(fixture.get(&comment["id"]).await, before);
    }
}
