//! Comments follow the code through pushes, rebases, reverts and moves of the base.

use serde_json::{Value, json};

use super::{numbered, story};
use crate::support::story::Story;

const HEAD: &[(usize, &str)] = &[(3, "three\n"), (4, "four\nand more\n"), (20, "twenty\n"), (25, "")];

fn with(changes: &[(usize, &'static str)]) -> String {
    let kept = HEAD.iter().filter(|(at, _)| !changes.iter().any(|(changed, _)| changed == at));
    numbered(&kept.copied().chain(changes.iter().copied()).collect::<Vec<_>>())
}

async fn push(story: &Story, parent: &str, content: &str) -> String {
    let head = story.commit_on(parent, &[("file", Some(content))]);
    story.push("feature", &head).await;
    head
}

/// `path side line start_line position`, with nulls where the comment is outdated.
async fn shown(story: &Story, comment: &Value) -> String {
    let now = story.get(&comment["id"]).await;
    for field in
        ["original_line", "original_position", "original_commit_id", "original_start_line", "diff_hunk", "side"]
    {
        assert_eq!(now[field], comment[field], "{field} never changes");
    }
    let listed = story.user("mona").get(crate::support::story::COMMENTS).await.expect(200).json();
    let listed = listed.as_array().expect("a list").iter().find(|other| other["id"] == comment["id"]).cloned();
    assert_eq!(listed.as_ref(), Some(&now), "the list says the same");
    ["path", "side", "line", "start_line", "position"].map(|name| now[name].to_string().replace('"', "")).join(" ")
}

async fn comment(story: &Story, fields: Value) -> Value {
    story.comment(fields).await.expect(201).json()
}

#[tokio::test]
async fn inserted_lines_move_comment_down() {
    let story = story().await;
    let right = comment(&story, json!({ "line": 20 })).await;
    let left = comment(&story, json!({ "line": 25, "side": "LEFT" })).await;
    let range = comment(&story, json!({ "line": 5, "start_line": 3 })).await;
    assert_eq!(shown(&story, &right).await, "file RIGHT 20 null 14");
    let head = push(&story, &story.head, &format!("new\n{}", with(&[]))).await;
    assert_eq!(shown(&story, &right).await, "file RIGHT 21 null 15");
    assert_eq!(shown(&story, &left).await, "file LEFT 25 null 22");
    assert_eq!(shown(&story, &range).await, "file RIGHT 6 4 8");
    assert_eq!(story.get(&right["id"]).await["commit_id"], json!(head));
}

#[tokio::test]
async fn edited_or_deleted_line_outdates_comment_until_revert() {
    let story = story().await;
    let edited = comment(&story, json!({ "line": 4 })).await;
    let deleted = comment(&story, json!({ "line": 21 })).await;
    let first = story.head.clone();
    let second = push(&story, &first, &with(&[(10, "ten\n")])).await;
    assert_eq!(shown(&story, &edited).await, "file RIGHT 4 null 6");
    let third = push(&story, &second, &with(&[(4, "vier\n"), (20, "")])).await;
    assert_eq!(shown(&story, &edited).await, "file RIGHT null null null");
    assert_eq!(shown(&story, &deleted).await, "file RIGHT null null null");
    assert_eq!(story.get(&edited["id"]).await["commit_id"], json!(second), "the last head on which it was there");
    push(&story, &third, &with(&[])).await;
    assert_eq!(shown(&story, &edited).await, "file RIGHT 4 null 6");
    assert_eq!(shown(&story, &deleted).await, "file RIGHT 21 null 16");
    story.push("feature", &first).await;
    assert_eq!(shown(&story, &edited).await, "file RIGHT 4 null 6", "force-pushed back");
    assert_eq!(story.get(&edited["id"]).await["commit_id"], json!(first));
}

#[tokio::test]
async fn deleted_file_outdates_comment_and_renamed_file_keeps_it() {
    let story = story().await;
    let line = comment(&story, json!({ "line": 4 })).await;
    let file = comment(&story, json!({ "subject_type": "file" })).await;
    let renamed = format!("new\n{}", with(&[(28, "eight\n")]));
    let head = story.commit_on(&story.head, &[("file", None), ("folder/moved", Some(&renamed))]);
    story.push("feature", &head).await;
    assert_eq!(shown(&story, &line).await, "folder/moved RIGHT 5 null 7");
    assert_eq!(shown(&story, &file).await, "folder/moved RIGHT 1 null 1");
    let gone = story.commit_on(&story.head, &[("file", None)]);
    story.push("feature", &gone).await;
    assert_eq!(shown(&story, &line).await, "file RIGHT null null null");
    assert_eq!(shown(&story, &file).await, "file RIGHT null null null");
}

#[tokio::test]
async fn rebase_keeps_comment_on_unchanged_line() {
    let story = story().await;
    let right = comment(&story, json!({ "line": 20 })).await;
    let left = comment(&story, json!({ "line": 20, "side": "LEFT" })).await;
    let base = story.commit_on(&story.base, &[("file", Some(&format!("base\n{}", numbered(&[]))))]);
    story.push("main", &base).await;
    assert_eq!(shown(&story, &right).await, "file RIGHT 20 null 14", "the merge base is still the same");
    push(&story, &base, &format!("base\n{}", with(&[]))).await;
    assert_eq!(shown(&story, &right).await, "file RIGHT 21 null 15");
    assert_eq!(shown(&story, &left).await, "file LEFT 21 null 16");
}

#[tokio::test]
async fn changed_base_moves_comment_to_new_diff() {
    let story = story().await;
    let left = comment(&story, json!({ "line": 3, "side": "LEFT" })).await;
    let late = comment(&story, json!({ "line": 20 })).await;
    // The base takes the first half of the change over, as if it were merged on its own.
    let half = story.commit_on(&story.base, &[("file", Some(&numbered(&[(3, "three\n"), (4, "four\nand more\n")])))]);
    story.work.git(&["checkout", "-q", "--detach", &half]);
    story.bring_objects().await;
    let branch = json!({ "ref": "refs/heads/half", "sha": half });
    story.user("mona").post("/repos/acme/rocket/git/refs", branch).await.expect(201);
    let head = push(&story, &half, &with(&[])).await;
    assert_eq!(shown(&story, &late).await, "file RIGHT 20 null 14", "main is still the base");
    let changed = story.user("mona").patch(crate::support::story::PULL, json!({ "base": "half" })).await.expect(200);
    assert_eq!(changed.json()["base"]["sha"], json!(half));
    assert_eq!(changed.json()["head"]["sha"], json!(head));
    assert_eq!(shown(&story, &late).await, "file RIGHT 20 null 3");
    assert_eq!(shown(&story, &left).await, "file LEFT null null null", "the deletion is no longer in the diff");
}

#[tokio::test]
async fn undone_deletion_outdates_comment() {
    let story = story().await;
    let deletion = comment(&story, json!({ "line": 25, "side": "LEFT" })).await;
    let context = comment(&story, json!({ "line": 24, "side": "LEFT" })).await;
    push(&story, &story.head, &with(&[(25, "line 25\n"), (26, "six\n")])).await;
    assert_eq!(shown(&story, &deletion).await, "file LEFT null null null");
    assert_eq!(shown(&story, &context).await, "file LEFT 24 null 20");
}

#[tokio::test]
async fn range_comment_shrinks_to_surviving_lines() {
    let story = story().await;
    let same = comment(&story, json!({ "line": 5, "start_line": 3 })).await;
    let mixed = comment(&story, json!({ "line": 4, "start_line": 3, "start_side": "LEFT" })).await;
    push(&story, &story.head, &with(&[(3, "drei\n")])).await;
    assert_eq!(shown(&story, &same).await, "file RIGHT 5 4 7", "the start is lost, the next line takes its place");
    assert_eq!(shown(&story, &mixed).await, "file RIGHT 4 3 6");
    push(&story, &story.head, &with(&[(3, "drei\n"), (4, "vier\nand more\n")])).await;
    assert_eq!(story.get(&same["id"]).await["start_line"], json!(null), "only the end is left");
    assert_eq!(shown(&story, &same).await, "file RIGHT 5 null 7");
    push(&story, &story.head, &with(&[(4, "four\nund mehr\n")])).await;
    assert_eq!(shown(&story, &same).await, "file RIGHT null null null", "the end decides");
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
    let story = Story::new(&base, &head).await;
    let crlf = comment(&story, json!({ "path": "crlf", "line": 2 })).await;
    assert_eq!(crlf["diff_hunk"], "@@ -1,3 +1,3 @@\n a\r\n-b\r\n+B\r");
    let open = comment(&story, json!({ "path": "open", "line": 3 })).await;
    assert_eq!(open["diff_hunk"], "@@ -1,3 +1,3 @@\n a\n b\n-c\n\\ No newline at end of file\n+C");
    assert_eq!(open["position"], 5);
    story.comment(json!({ "path": "open", "position": 4 })).await.expect(422);
    story.comment(json!({ "path": "binary", "line": 1 })).await.expect(422);
    let binary = comment(&story, json!({ "path": "binary", "subject_type": "file" })).await;
    let near = comment(&story, json!({ "path": "near", "line": 6 })).await;
    let next = story.commit_on(
        &story.head,
        &[
            ("crlf", Some("0\r\na\r\nB\r\nc\r\n")),
            ("open", Some("0\na\nb\nC")),
            ("binary", Some("\0three")),
            ("near", Some("1\n2\n3\n4\n5\n6\n7\n8\n9\nten\n")),
        ],
    );
    story.push("feature", &next).await;
    assert_eq!(shown(&story, &crlf).await, "crlf RIGHT 3 null 4");
    assert_eq!(shown(&story, &open).await, "open RIGHT 4 null 6");
    assert_eq!(shown(&story, &binary).await, "binary RIGHT 1 null 1");
    assert_eq!(shown(&story, &near).await, "near RIGHT null null null", "it is there, but outside of the hunk");
}

#[tokio::test]
async fn background_reanchoring_equals_reanchoring_on_read() {
    let story = story().await;
    let comments = [
        comment(&story, json!({ "line": 4 })).await,
        comment(&story, json!({ "line": 20 })).await,
        comment(&story, json!({ "line": 25, "side": "LEFT" })).await,
        comment(&story, json!({ "subject_type": "file" })).await,
    ];
    let second = push(&story, &story.head, &format!("new\n{}", with(&[(4, "vier\n")]))).await;
    push(&story, &second, &with(&[(4, "vier\n"), (8, "acht\n")])).await;
    let mut before = Vec::new();
    for comment in &comments {
        before.push(story.get(&comment["id"]).await);
    }
    let repo = story.user("mona").get("/repos/acme/rocket").await.json()["id"].as_i64().expect("a number");
    let pull = story.user("mona").get(crate::support::story::PULL).await.json()["id"].as_i64().expect("a number");
    plinth_core::pulls::refresh_pull(
        &story.service.app,
        plinth_base::ids::RepoId(repo),
        plinth_base::ids::PullId(pull),
    )
    .await
    .expect("settled");
    for (comment, before) in comments.iter().zip(before) {
        assert_eq!(story.get(&comment["id"]).await, before);
    }
}
