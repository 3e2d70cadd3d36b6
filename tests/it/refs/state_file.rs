//! Commits from a state file, and imports of other repositories.

use std::path::Path;
use std::process::Command;

use plinth::state_file::State;

use super::{GIT, STATE, directory, git, mona, names, rocket, sha_of};
use crate::support::wait::wait_until_async;
use crate::support::{Response, Service};

#[tokio::test]
async fn state_file_commits_have_stable_ids_and_apply_once() {
    let (one, two) = (rocket().await, rocket().await);
    let before = list_all(&one).await;
    assert_eq!(before.body, list_all(&two).await.body);
    one.advance(60);
    one.apply(&STATE).await;
    let after = list_all(&one).await;
    assert_eq!(after.body, before.body);
    assert_eq!(after.header("etag"), before.header("etag"), "not even the generation has changed");
    for number in [1, 2] {
        let (good, complaint) = git(&one, number, &["fsck", "--strict", "--no-dangling"]);
        assert!(good, "{complaint}");
    }
}

#[tokio::test]
async fn state_file_leaves_repository_with_refs_unchanged() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    mona(&service).delete(&format!("{GIT}/refs/heads/side")).await.expect(204);
    service.apply(&STATE).await;
    mona(&service).get(&format!("{GIT}/ref/heads/side")).await.expect(404);
    assert_eq!(sha_of(&service, "heads/main").await, main);
}

#[tokio::test]
async fn invalid_state_file_history_leaves_nothing() {
    let service = Service::with("").await;
    for (bad, complaint) in [
        ("commits: [{ branch: a..b, author: mona, message: m }]", "a..b"),
        ("commits: [{ branch: main, author: nobody, message: m }]", "there is no user \"nobody\""),
        ("commits: [{ branch: main, author: mona, message: m, files: { .git/x: y } }]", ".git"),
        ("commits: [{ branch: b, from: none, author: mona, message: m }]", "none"),
        ("tags: [{ name: v1, target: main }]", "main"),
        ("import: nowhere", "nowhere"),
        ("import: x\n    tags: [{ name: v1, target: main }]", "either commits and tags or an import"),
    ] {
        let text = format!("users: [{{ login: mona }}]\nrepos:\n  - name: mona/x\n    {bad}\n");
        let state = State::parse(&text, service.directory()).expect("well formed");
        let app = &service.app;
        let rejection =
            state.apply(&service.store, &app.repositories, app.clock.now()).await.expect_err(bad).to_string();
        assert!(rejection.contains(complaint), "{bad}: {rejection}");
        service.anonymous().get("/users/mona").await.expect(404);
        assert!(!directory(&service, 1).exists(), "{bad}");
    }
}

#[tokio::test]
async fn import_copies_all_refs() {
    let service = Service::with("").await;
    let source = service.directory().join("source");
    make_source(&source);
    let state = "users: [{ login: mona }]\nrepos: [{ name: mona/copy, import: source }]";
    service.apply(state).await;
    let list = service.anonymous().get("/repos/mona/copy/git/matching-refs/").await.expect(200);
    assert_eq!(names(&list), ["refs/heads/topic", "refs/heads/trunk", "refs/notes/commits", "refs/tags/v1"]);
    let repo = service.anonymous().get("/repos/mona/copy").await.expect(200);
    assert_eq!(repo.json()["default_branch"], "trunk");
    service.apply(state).await;
    let again = service.anonymous().get("/repos/mona/copy/git/matching-refs/").await;
    assert_eq!(again.comparable(), list.comparable());
    assert_eq!(service.anonymous().get("/repos/mona/copy").await.json()["default_branch"], "trunk");
    let (good, complaint) = git(&service, 1, &["fsck", "--strict", "--no-dangling"]);
    assert!(good, "{complaint}");
}

#[tokio::test]
async fn delete_repository_removes_its_directory() {
    let service = rocket().await;
    service.apply("tokens: [{ kind: classic, user: mona, scopes: [repo, delete_repo], token: ghp_deletes }]").await;
    assert!(directory(&service, 1).exists());
    service.with_token("ghp_deletes").delete("/repos/acme/rocket").await.expect(204);
    wait_until_async("the directory is removed", async || !directory(&service, 1).exists()).await;
    mona(&service).get(&format!("{GIT}/ref/heads/main")).await.expect(404);
}

async fn list_all(service: &Service) -> Response {
    mona(service).get(&format!("{GIT}/matching-refs/")).await.expect(200)
}

fn make_source(directory: &Path) {
    let script = "git init -q -b trunk . && git config user.name A && git config user.email a@example.com \
                  && echo 1 > a && git add a && git commit -q -m one && git branch topic && echo 2 > a \
                  && git commit -q -a -m two && git tag -m one v1 && git notes add -m noted \
                  && git update-ref refs/pull/1/head HEAD";
    std::fs::create_dir_all(directory).expect("a directory can be created");
    let status = Command::new("sh").arg("-ec").arg(script).current_dir(directory).status().expect("a shell runs");
    assert!(status.success());
}
