//! A server under `strace` with a workload.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::disk::Disk;
use super::trace::{self, Call};
use crate::process::{HttpResponse, Server, wait_until};

/// More than any single write of the workload.
const DATA_MAX: &str = "16777216";
const REPO: &str = "/repos/mona/rocket";
const BLOB: &str = "2472e1b0e64a07df939249cd9113ea3051672ebc";

/// The trace, and when each write was acknowledged.
pub struct Recording {
    pub before: Disk,
    pub calls: Vec<Call>,
    pub acknowledged: Vec<Acknowledged>,
}

/// One write, the line of the trace in which its response was sent, and what the server showed then.
pub struct Acknowledged {
    pub what: &'static str,
    pub line: usize,
    pub shown: Vec<String>,
}

/// Runs the program under `strace`, which daemonizes so that the process is the program's own.
pub fn traced(trace: &Path) -> Command {
    let mut command = Command::new("strace");
    command.args(["-D", "-f", "-y", "-xx", "-s", DATA_MAX, "-e", &format!("trace={}", trace::CALLS), "-o"]);
    command.arg(trace).arg(crate::process::program_path());
    command
}

/// Waits until the last line about a process is written.
pub fn wait_for_end(trace: &Path, process: u32) {
    let process = process.to_string();
    let is_end = |line: &str| {
        let words = line.split_once(' ');
        words.is_some_and(|(who, what)| who == process && what.trim_start().starts_with("+++ exited"))
    };
    wait_until("strace writes the end down", || {
        std::fs::read_to_string(trace).is_ok_and(|text| text.lines().any(is_end))
    });
}

impl Recording {
    /// Runs the whole workload with these settings.
    pub fn make(flags: &[&str]) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let trace = directory.path().join("trace");
        let home = directory.path().join("home");
        std::fs::create_dir(&home).expect("a directory");
        let before = Disk::load(&home);
        let server = Server::start_by(traced(&trace), &home, flags);
        let process = server.id();
        let mut workload = Workload { server, directory: directory.path().to_owned(), shown: Vec::new() };
        workload.run();
        workload.server.signal(Signal::TERM);
        assert_eq!(workload.server.wait(), Some(0));
        wait_for_end(&trace, process);
        let calls = trace::read(&trace);
        let acknowledged = workload.shown.into_iter().enumerate();
        let acknowledged = acknowledged
            .map(|(index, (what, shown))| Acknowledged { what, line: line_of_response(&calls, index), shown })
            .collect();
        Self { before, calls, acknowledged }
    }
}

/// The last successful response that was sent before the client confirmed it.
fn line_of_response(calls: &[Call], index: usize) -> usize {
    let word = format!("GET /has-response-{index} ");
    let heard = |call: &&Call| call.name.starts_with("recv") && call.data().starts_with(word.as_bytes());
    let heard = calls.iter().find(heard).expect("the client said so").ended_at;
    let responses = calls.iter().filter(|call| call.ended_at < heard && call.data().starts_with(b"HTTP/1.1 2"));
    let sent = responses.filter(|call| matches!(call.name.as_str(), "write" | "writev" | "sendto" | "sendmsg"));
    sent.map(|call| call.begun_at).max().expect("a response")
}

struct Workload {
    server: Server,
    directory: PathBuf,
    shown: Vec<(&'static str, Vec<String>)>,
}

impl Workload {
    fn run(&mut self) {
        self.post("/user/repos", json!({ "name": "rocket" }));
        self.done("a repository");
        let work = self.directory.join("work");
        git(&self.directory, &["init", "--quiet", "--initial-branch=main", "work"]);
        let lines: String = (0..200).map(|line| format!("line {line}\n")).collect();
        let first = commit(&work, &lines);
        self.push("HEAD:refs/heads/main");
        self.done("a first push");
        let blob = self.post(&format!("{REPO}/git/blobs"), json!({ "content": "through the API" }));
        assert_eq!(blob["sha"], BLOB);
        self.done("a blob");
        self.post(&format!("{REPO}/git/refs"), json!({ "ref": "refs/keep/blob", "sha": BLOB }));
        self.done("a name for it");
        commit(&work, &lines.replace("line 100\n", "another line\n"));
        self.push("HEAD:refs/heads/topic");
        self.done("a thin push");
        self.post(&format!("{REPO}/pulls"), json!({ "title": "Change", "head": "topic", "base": "main" }));
        self.done("a pull request");
        let tip = git(&work, &["rev-parse", "HEAD"]);
        let comment = json!({ "body": "Why?", "commit_id": tip, "path": "file", "line": 101, "side": "RIGHT" });
        self.post(&format!("{REPO}/pulls/1/comments"), comment);
        self.done("a comment");
        let url = self.url();
        git(&self.directory, &["clone", "--quiet", "--mirror", &url, "mirror"]);
        self.done("objects in a pack, since someone cloned");
        let head = "PATCH /repos/mona/rocket/git/refs/heads/topic HTTP/1.1";
        self.send(head, &json!({ "sha": first, "force": true }), 200);
        self.done("a move by force");
        self.send("DELETE /repos/mona/rocket/git/refs/keep/blob HTTP/1.1", &Value::Null, 204);
        self.done("a deletion");
        commit(&work, &lines.replace("line 7\n", "seven\n"));
        self.push("+HEAD:refs/heads/main");
        self.done("a push by force");
    }

    /// Marks in the trace that the response has arrived, and records what the server shows now.
    fn done(&mut self, what: &'static str) {
        self.server.get(&format!("/has-response-{}", self.shown.len()));
        self.shown.push((what, show(&self.server)));
    }

    fn post(&self, path: &str, body: Value) -> Value {
        let response = self.send(&format!("POST {path} HTTP/1.1"), &body, 201);
        serde_json::from_str(response.body()).expect("JSON")
    }

    fn send(&self, head: &str, body: &Value, status: u16) -> HttpResponse {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let response = self.server.request(&format!("{head}\r\nauthorization: Bearer ghp_monamona"), &body);
        assert_eq!(response.status(), status, "{head}: {response:?}");
        response
    }

    fn url(&self) -> String {
        format!("http://x:ghp_monamona@{}/mona/rocket.git", self.server.address)
    }

    fn push(&self, refspec: &str) {
        git(&self.directory.join("work"), &["push", "--quiet", &self.url(), refspec]);
    }
}

/// Everything of the workload that a client can read.
pub fn show(server: &Server) -> Vec<String> {
    let json = |path: &str| serde_json::from_str::<Value>(server.get(path).body()).expect("JSON");
    let (repo, pull) = (json(REPO), json(&format!("{REPO}/pulls/1")));
    let mut shown = vec![format!("{} {}", repo["full_name"], repo["pushed_at"])];
    shown.push(format!("{} {} {}", pull["title"], pull["head"]["sha"], pull["state"]));
    let list = |path: &str| json(path).as_array().cloned().unwrap_or_default();
    let refs = list(&format!("{REPO}/git/matching-refs/"));
    shown.extend(refs.iter().map(|item| format!("{} {}", item["ref"], item["object"]["sha"])));
    // Comments are re-anchored after the response.
    let comments = list(&format!("{REPO}/pulls/1/comments"));
    shown.extend(comments.iter().map(|comment| format!("{} {}", comment["id"], comment["body"])));
    // The blob is stored whether a ref reaches it or not.
    shown.push(format!("{} for {BLOB}", server.get(&format!("{REPO}/git/blobs/{BLOB}")).status()));
    shown
}

fn commit(work: &Path, content: &str) -> String {
    std::fs::write(work.join("file"), content).expect("a file");
    git(work, &["add", "."]);
    git(work, &["commit", "--quiet", "-m", "write"]);
    git(work, &["rev-parse", "HEAD"])
}

/// Runs git, which must succeed, and returns its output.
pub fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = try_git(directory, arguments);
    let printed = String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).trim().to_owned();
    assert!(output.status.success(), "git {arguments:?}: {printed}");
    printed
}

fn try_git(directory: &Path, arguments: &[&str]) -> Output {
    Command::new("git")
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs([("HOME", "/nonexistent"), ("LC_ALL", "C"), ("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_TERMINAL_PROMPT", "0")])
        .envs([("GIT_AUTHOR_NAME", "Mona"), ("GIT_AUTHOR_EMAIL", "mona@example.com")])
        .envs([("GIT_COMMITTER_NAME", "Mona"), ("GIT_COMMITTER_EMAIL", "mona@example.com")])
        .output()
        .expect("git runs")
}
