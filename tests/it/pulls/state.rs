//! Pull requests of a state file.

use serde_json::json;

use crate::support::{START, Service};
use plinth::state_file::State;
use plinth_core::pulls;

const STATE: &str = r#"
users: [{ login: mona, email: mona@example.com }, { login: hubot }]
repos:
  - name: mona/hello
    commits:
      - { branch: main, author: mona, message: first, files: { src/a.txt: "1\n2\n3\n" } }
      - { branch: feature, from: main, author: hubot, message: change, files: { src/a.txt: "1\ntwo\n3\n" } }
pulls:
  - repo: mona/hello
    title: Change a
    author: hubot
    head: feature
    base: main
    comments:
      - author: mona
        path: src/a.txt
        line: 2
        body: Why not **2**?
        replies: [{ author: hubot, body: Because }]
      - { author: hubot, path: src/a.txt, line: 2, side: LEFT, body: "It was @mona" }
      - { author: hubot, path: src/a.txt, body: On the file }
tokens: [{ kind: classic, user: mona, scopes: [repo, notifications], token: ghp_mona }]
"#;

#[tokio::test]
async fn pull_requests_that_nobody_looked_at_are_settled_by_the_sweep() {
    let service = Service::with(STATE).await;
    let mona = service.with_token("ghp_mona");
    let path = "/repos/mona/hello/pulls/1/comments";
    let before = mona.get(path).await.expect(200).json();
    let unsettled = async || {
        let mut db = service.store.read().await.expect("the store can be read");
        pulls::store::list_not_refreshed(&mut db, 10).await.expect("the store can be read").len()
    };
    assert_eq!(unsettled().await, 1, "a state file is applied without a look at what follows from the commits");
    pulls::catch_up(&service.app).await.expect("the sweep works");
    assert_eq!(unsettled().await, 0);
    assert_eq!(mona.get(path).await.expect(200).json(), before);
}

#[tokio::test]
async fn pull_request_that_cannot_be_read_is_tried_once_and_never_again() {
    let mut service = Service::with(STATE).await;
    let files = files_below(&service.folder().join("data/repositories"));
    for file in files.iter().filter(|file| file.parent().is_some_and(|parent| parent.ends_with("pack"))) {
        std::fs::remove_file(file).expect("a file can be removed");
    }
    service.restart().await;
    for attempt in 0..3 {
        let mut db = service.store.read().await.expect("the store can be read");
        let unsettled = pulls::store::list_not_refreshed(&mut db, 10).await.expect("the store can be read").len();
        assert_eq!(unsettled, usize::from(attempt == 0), "attempt {attempt}");
        drop(db);
        pulls::catch_up(&service.app).await.expect("the sweep goes on");
        service.restart().await;
    }
}

fn files_below(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a directory can be read");
    let below = |path: std::path::PathBuf| if path.is_dir() { files_below(&path) } else { vec![path] };
    entries.flat_map(|entry| below(entry.expect("an entry can be read").path())).collect()
}

#[tokio::test]
async fn a_state_file_brings_pull_requests_with_their_comments() {
    let service = Service::with(STATE).await;
    let mona = service.with_token("ghp_mona");
    let pull = mona.get("/repos/mona/hello/pulls/1").await.expect(200).json();
    assert_eq!((&pull["title"], &pull["user"]["login"]), (&json!("Change a"), &json!("hubot")));
    let comments = mona.get("/repos/mona/hello/pulls/1/comments").await.expect(200).json();
    let shown: Vec<_> = comments
        .as_array()
        .expect("a list")
        .iter()
        .map(|comment| {
            ["user", "side", "line", "in_reply_to_id", "subject_type"]
                .map(|name| match name {
                    "user" => comment[name]["login"].to_string(),
                    name => comment.get(name).map_or("-".into(), ToString::to_string),
                })
                .join(" ")
                .replace('"', "")
        })
        .collect();
    assert_eq!(shown, ["mona RIGHT 2 - line", "hubot RIGHT 2 1 line", "hubot LEFT 2 - line", "hubot RIGHT 1 - file"]);
    assert_eq!(comments[0]["author_association"], "OWNER");
    assert_eq!(mona.get("/notifications").await.json()[0]["reason"], "mention");
    service.apply(STATE).await;
    assert_eq!(mona.get("/repos/mona/hello/pulls/1/comments").await.json(), comments, "applying again changes nothing");
}

#[tokio::test]
async fn what_is_wrong_is_told_with_its_line_and_nothing_is_made() {
    let service = Service::with("users: [{ login: mona }]").await;
    for (from, to, message) in [
        (
            "line: 2\n",
            "line: 9\n",
            "line 16, pulls.comments: invalid fields: pull_request_review_thread.line: pull_request_review_thread.line must be part of the diff, pull_request_review_thread.diff_hunk is missing",
        ),
        ("head: feature", "head: other", "line 12, pulls.head: there is no such branch"),
        ("repo: mona/hello", "repo: mona/other", "line 9, pulls.repo: there is no such repository with commits"),
        ("side: LEFT", "side: UP", "line 20, pulls.comments: a side is LEFT or RIGHT"),
        (
            "body: Why not **2**?",
            "body: ' '",
            "line 18, pulls.comments.body: invalid fields: data: Body cannot be blank",
        ),
    ] {
        let text = STATE.replace(from, to);
        assert_ne!(text, STATE);
        let state = State::parse(&text, service.folder()).expect("a good shape");
        let error = state.apply(&service.store, &service.app.repositories, START).await.expect_err(to);
        assert_eq!(error.to_string(), message);
        service.anonymous().get("/repos/mona/hello").await.expect(404);
    }
}
