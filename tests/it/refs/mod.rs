//! Git refs and objects.

mod blobs;
mod hostile;
mod identities;
mod maintenance;
mod model;
mod names;
mod object_creation;
mod objects;
mod racing;
mod reading;
mod state_file;
mod trees;
mod workflows;
mod writing;

use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::support::fixtures::StateFile;
use crate::support::{Client, Response, Service};

/// A repository with two commits on `main`, one on `feature` and two tags; a private one; an empty one; tokens.
pub static STATE: LazyLock<String> = LazyLock::new(|| {
    StateFile::default()
        .entry("users", "login: mona, name: Mona Lisa, email: mona@example.com")
        .users(&["hubot", "guest"])
        .org("acme", "{ user: mona, role: admin }")
        .repo(
            "acme/rocket",
            r#"collaborators: [{ user: hubot, permission: write }],
            commits: [
                { branch: main, author: mona, message: first, files: { README.md: "hello\n", src/a.txt: "1\n2\n3\n" } },
                { branch: main, author: hubot, message: second, files: { src/a.txt: "1\ntwo\n3\n" } },
                { branch: feature, from: main, author: hubot, message: third,
                  files: { src/b.txt: "b\n", README.md: null } },
                { branch: side, author: hubot, message: apart, files: { side.txt: "s\n" } }],
            tags: [{ name: light, target: main }, { name: v1, target: main, message: Version one }]"#,
        )
        .repo(
            "acme/hidden",
            r#"private: true,
            commits: [{ branch: main, author: mona, message: secret, files: { secret.txt: "only here\n" } }]"#,
        )
        .repo("acme/empty", "")
        .classic("mona", "repo, workflow", "ghp_monamonamona")
        .classic("hubot", "repo", "ghp_hubothubot")
        .classic("guest", "repo", "ghp_guestguest")
        .fine_grained("hubot", "acme", "contents: write", "github_pat_contents")
        .fine_grained("hubot", "acme", "contents: write, workflows: write", "github_pat_workflows")
        .fine_grained("hubot", "acme", "contents: read", "github_pat_reader")
        .to_string()
});

pub const GIT: &str = "/repos/acme/rocket/git";

/// The service of the tests in this directory.
pub async fn rocket() -> Service {
    Service::with(&STATE).await
}

pub fn mona(service: &Service) -> Client<'_> {
    service.with_token("ghp_monamonamona")
}

pub fn hubot(service: &Service) -> Client<'_> {
    service.with_token("ghp_hubothubot")
}

/// The target of a ref of acme/rocket.
pub async fn sha_of(service: &Service, name: &str) -> String {
    let response = mona(service).get(&format!("{GIT}/ref/{name}")).await.expect(200);
    text(&response.json()["object"]["sha"])
}

/// The parent of the newest commit on `main`.
pub async fn first_commit(service: &Service) -> String {
    let tip = sha_of(service, "heads/main").await;
    let response = mona(service).get(&format!("{GIT}/commits/{tip}")).await.expect(200);
    text(&response.json()["parents"][0]["sha"])
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}")).to_owned()
}

/// The names in a list of refs, in its order.
pub fn names(response: &Response) -> Vec<String> {
    let list = response.json();
    list.as_array().expect("a list").iter().map(|item| text(&item["ref"])).collect()
}

/// The directory of a repository.
pub fn directory(service: &Service, number: i64) -> PathBuf {
    service.directory().join(format!("data/repositories/{:02x}/{number}.git", number % 256))
}

/// The result of a git command in a repository.
pub fn git(service: &Service, number: i64, arguments: &[&str]) -> (bool, String) {
    let output = Command::new("git")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", service.directory())
        .arg("--git-dir")
        .arg(directory(service, number))
        .args(arguments)
        .output()
        .expect("git runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}
