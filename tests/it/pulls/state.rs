//! Pull requests of a state file.

use serde_json::json;

use crate::support::{START, Service};
use plinth::state_file::State;
use plinth_base::ids::PullId;
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
async fn maintenance_refreshes_unread_pull_requests() {
    let service = Service::with(STATE).await;
    let mona = service.with_token("ghp_mona");
    let path = "/repos/mona/hello/pulls/1/comments";
    let before = mona.get(path).await.expect(200).json();
    let unsettled = async || {
        let mut db = service.store.read().await.expect("the store can be read");
        pulls::store::list_not_refreshed(&mut db, (PullId(0), 10)).await.expect("the store can be read").len()
    };
    assert_eq!(unsettled().await, 1, "a state file is applied without a refresh of pull requests");
    pulls::catch_up(&service.app).await.expect("maintenance succeeds");
    assert_eq!(unsettled().await, 0);
    assert_eq!(mona.get(path).await.expect(200).json(), before);
}

#[tokio::test]
async fn maintenance_refreshes_any_number_of_pull_requests() {
    const PULLS: usize = 120;
    let heads: String = (0..PULLS)
        .map(|n| format!("\n      - {{ branch: h{n}, from: main, author: mona, message: m, files: {{ a: '{n}' }} }}"))
        .collect();
    let pulls: String = (0..PULLS)
        .map(|n| format!("\n  - {{ repo: mona/many, title: T, author: mona, head: h{n}, base: main }}"))
        .collect();
    let first = "{ branch: main, author: mona, message: m, files: { a: '' } }";
    let state = format!(
        "users: [{{ login: mona }}]\nrepos:\n  - name: mona/many\n    default_branch: main\n    commits:\n      - {first}{heads}\npulls:{pulls}\n"
    );
    let service = Service::with(&state).await;
    pulls::catch_up(&service.app).await.expect("maintenance succeeds");
    let mut db = service.store.read().await.expect("the store can be read");
    let unsettled = pulls::store::list_not_refreshed(&mut db, (PullId(0), PULLS)).await.expect("the store can be read");
    assert_eq!(unsettled, []);
}

#[tokio::test]
async fn unreadable_pull_request_is_refreshed_only_once() {
    let mut service = Service::with(STATE).await;
    let files = files_below(&service.directory().join("data/repositories"));
    for file in files.iter().filter(|file| file.parent().is_some_and(|parent| parent.ends_with("pack"))) {
        std::fs::remove_file(file).expect("a file can be removed");
    }
    service.restart().await;
    for attempt in 0..3 {
        let mut db = service.store.read().await.expect("the store can be read");
        let unsettled =
            pulls::store::list_not_refreshed(&mut db, (PullId(0), 10)).await.expect("the store can be read").len();
        assert_eq!(unsettled, usize::from(attempt == 0), "attempt {attempt}");
        drop(db);
        pulls::catch_up(&service.app).await.expect("maintenance continues");
        service.restart().await;
    }
}

fn files_below(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a directory can be read");
    let below = |path: std::path::PathBuf| if path.is_dir() { files_below(&path) } else { vec![path] };
    entries.flat_map(|entry| below(entry.expect("an entry can be read").path())).collect()
}

#[tokio::test]
async fn state_file_creates_pull_requests_with_comments() {
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
async fn invalid_pull_request_is_reported_with_line_and_creates_nothing() {
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
        let state = State::parse(&text, service.directory()).expect("a good shape");
        let error = state.apply(&service.store, &service.app.repositories, START).await.expect_err(to);
        assert_eq!(error.to_string(), message);
        service.anonymous().get("/repos/mona/hello").await.expect(404);
    }
}

const REVIEWERS: &str = "    base: main\n    reviewers: [MONA]\n";
const RESOLVED: &str = "replies: [{ author: hubot, body: Because }]\n        resolved_by: hubot\n";

fn reviewed() -> String {
    STATE.replace("    base: main\n", REVIEWERS).replace("replies: [{ author: hubot, body: Because }]\n", RESOLVED)
}

#[tokio::test]
async fn state_file_requests_reviews_and_resolves_threads_with_their_pull_request() {
    let service = Service::with(&reviewed()).await;
    let mona = service.with_token("ghp_mona");
    let pull = "/repos/mona/hello/pulls/1";
    assert_eq!(mona.get(pull).await.expect(200).json()["requested_reviewers"][0]["login"], "mona");
    let notified = mona.get("/notifications").await.expect(200).json();
    assert_eq!(notified[0]["subject"]["url"], format!("http://plinth.test{pull}"));
    let resolved = |threads: serde_json::Value| -> Vec<serde_json::Value> {
        let threads = threads.as_array().expect("a list");
        threads.iter().map(|thread| thread["resolved_by"]["login"].clone()).collect()
    };
    let threads = mona.get(&format!("{pull}/threads")).await.expect(200).json();
    assert_eq!(resolved(threads), [json!("hubot"), json!(null), json!(null)]);
    mona.post(&format!("{pull}/reviews"), json!({ "event": "APPROVE" })).await.expect(200);
    service.apply(&reviewed()).await;
    assert_eq!(mona.get(pull).await.expect(200).json()["requested_reviewers"], json!([]), "not requested again");
}

#[tokio::test]
async fn invalid_reviewer_is_reported_with_line() {
    let service = Service::with("users: [{ login: mona }]").await;
    for (reviewer, message) in [
        ("hubot", "Review cannot be requested from pull request author."),
        ("nobody", "Reviews may only be requested from collaborators."),
    ] {
        let text = STATE.replace("    base: main\n", &format!("    base: main\n    reviewers: [{reviewer}]\n"));
        let state = State::parse(&text, service.directory()).expect("a good shape");
        let error = state.apply(&service.store, &service.app.repositories, START).await.expect_err(reviewer);
        assert!(error.to_string().starts_with(&format!("line 14, pulls.reviewers: {message}")), "{error}");
    }
}

#[tokio::test]
async fn state_file_sets_the_homepage_and_leaves_it_otherwise() {
    let state = |more: &str| format!("users: [{{ login: mona }}]\nrepos: [{{ name: mona/notes{more} }}]");
    let service = Service::with(&state(", homepage: https://example.com")).await;
    let homepage = async || service.anonymous().get("/repos/mona/notes").await.expect(200).json()["homepage"].clone();
    assert_eq!(homepage().await, "https://example.com");
    service.apply(&state("")).await;
    assert_eq!(homepage().await, "https://example.com");
    service.apply(&state(", homepage: ''")).await;
    assert_eq!(homepage().await, json!(null));
}
