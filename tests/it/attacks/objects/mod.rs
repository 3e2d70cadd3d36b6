//! Objects that cost more than their size: a few hundred bytes that name billions of files, texts that compress to
//! nothing, files that are all similar, very long histories.

mod bombs;
mod diffs;
mod odd;
mod renames;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::support::{Victim, git};
use crate::process::HttpResponse;

/// A server whose clocks stop nothing, for tests of one request: what it returns must follow from the objects, and not
/// from how busy the machine is. The clocks have tests of their own.
fn victim_without_time_limits() -> Victim {
    Victim::start(&["--request-seconds", "600", "--object-cpu-seconds", "600"])
}

/// A clone of `mallory/target`, in which objects are created and pushed.
struct Clone {
    directory: tempfile::TempDir,
}

impl Clone {
    fn of(victim: &Victim) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let output = git(directory.path(), &["clone", "-q", "--bare", &victim.push_url(), "."]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Self { directory }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Runs git and returns its first line.
    fn git(&self, arguments: &[&str]) -> String {
        self.feed(arguments, b"")
    }

    /// Runs git with some input and returns its first line.
    fn feed(&self, arguments: &[&str], input: &[u8]) -> String {
        let mut child = Command::new("git")
            .current_dir(self.path())
            .args(["-c", "user.name=m", "-c", "user.email=m@example.com", "-c", "core.bigFileThreshold=512m"])
            .args(arguments)
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("git runs");
        let mut stdin = child.stdin.take().expect("stdin is a pipe");
        let _ = stdin.write_all(input);
        drop(stdin);
        let output = child.wait_with_output().expect("git ends");
        assert!(output.status.success(), "git {arguments:?}");
        String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned()
    }

    fn blob(&self, content: &[u8]) -> String {
        self.feed(&["hash-object", "-w", "--stdin"], content)
    }

    /// A tree of entries such as `100644 blob SHA`, by name.
    fn tree(&self, entries: impl IntoIterator<Item = (String, String)>) -> String {
        let lines: String = entries.into_iter().map(|(name, object)| format!("{object}\t{name}\n")).collect();
        self.feed(&["mktree"], lines.as_bytes())
    }

    /// A commit of a tree on top of others.
    fn commit(&self, tree: &str, parents: &[&str]) -> String {
        let mut arguments = vec!["commit-tree", "-m", "attack", tree];
        parents.iter().for_each(|parent| arguments.extend(["-p", parent]));
        self.git(&arguments)
    }

    /// Pushes a commit as a branch.
    fn push(&self, victim: &Victim, commit: &str, branch: &str) {
        let refspec = format!("{commit}:refs/heads/{branch}");
        let output = git(self.path(), &["push", "-q", &victim.push_url(), &refspec]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

fn file(blob: &str) -> String {
    format!("100644 blob {blob}")
}

fn directory(tree: &str) -> String {
    format!("040000 tree {tree}")
}

fn json(response: &HttpResponse) -> Value {
    let body = response.0.find("\r\n\r\n").map_or("", |end| &response.0[end + 4..]);
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {}", &body[..body.len().min(200)]))
}

/// A GET without a token.
fn get(victim: &Victim, path: &str) -> HttpResponse {
    victim.server().request(&format!("GET {path} HTTP/1.1"), "")
}

/// Sends many requests at once, which may get these responses only. On a busy machine some attackers may give up first.
#[track_caller]
fn get_all(victim: &Victim, paths: &[String], expected: &[u16]) {
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let asked: Vec<_> = paths.iter().map(|path| scope.spawn(|| get(victim, path).status())).collect();
        asked.into_iter().map(|asked| asked.join().expect("no panic")).collect()
    });
    assert!(statuses.iter().all(|status| *status == 0 || expected.contains(status)), "{statuses:?}");
}

/// Opens a pull request and returns its path.
fn open_pull(victim: &Victim, branch: &str) -> String {
    let body = serde_json::json!({ "title": branch, "head": branch, "base": "main" }).to_string();
    let response = victim.send("ghp_mallory", "POST", "/repos/mallory/target/pulls", &body);
    assert_eq!(response.status(), 201, "{}", response.0);
    format!("/repos/mallory/target/pulls/{}", json(&response)["number"])
}
