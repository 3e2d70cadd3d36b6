//! F8: a failed sync, at each sync that a write makes. The write is not acknowledged, and neither is a later one until
//! the store was reopened or the data was synced again.
//!
//! The kernel drops what it could not write and reports the next sync as a success, so repeating a sync proves nothing
//! about the data of the first.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::checker::{expect_forgeries_noticed, expect_whole, git, git_ok, url};
use crate::client::Client;
use crate::comparison::REF_PREFIX;
use crate::injection::Injection;
use crate::ledger::{Action, Event};
use crate::settings::{figure, has, program_path, progress, sized, skip};
use crate::subject::{REPO, Subject, TOKEN};
use crate::writer;

/// More than any operation makes; ends a search that never does.
const CALLS_MAX: usize = 40;
/// Writes that are tried after a failure.
const TRIES: usize = 20;
/// SQLite syncs the directory with the first commit and ignores the result. The server has synced it before.
const SYNCED_BY_SQLITE: &str = "data";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Ref,
    Comment,
    Push,
    /// A push whose files are synced and whose transaction is not.
    PushLog,
    /// Objects created over REST are packed at the next clone.
    BlobAndClone,
    Repository,
}

const OPERATIONS: [Operation; 6] = [
    Operation::Ref,
    Operation::Comment,
    Operation::Push,
    Operation::PushLog,
    Operation::BlobAndClone,
    Operation::Repository,
];

#[test]
#[ignore = "a fault case: cargo xtask faults --only F8"]
fn f8_failed_sync_is_final() {
    if let Err(reason) = may_run() {
        return skip(&reason);
    }
    let mut subject = Subject::start(None, &[]);
    let (mut sites, mut failures) = (BTreeSet::new(), 0);
    for round in 0..sized(1, 20) {
        for operation in OPERATIONS {
            for call in 1..=CALLS_MAX {
                let name = format!("{operation:?}-{round}-{call}").to_lowercase();
                let Some(site) = fail_sync(&mut subject, operation, call, &name) else {
                    assert!(call > 1, "{operation:?} is acknowledged without a sync");
                    break;
                };
                sites.insert(site);
                failures += 1;
            }
            progress(&format!("F8: {failures} syncs have failed, after {operation:?}"));
        }
    }
    expect_forgeries_noticed(subject.server(), subject.ledger());
    figure(&format!("F8: {failures} failed syncs at {} sites, none acknowledged, 0 lost: {sites:?}", sites.len()));
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F8"]
fn f8_control_store_without_sync_is_detected() {
    if let Err(reason) = may_run() {
        return skip(&reason);
    }
    let mut subject = Subject::start(None, &["--dev-synchronous", "off"]);
    let site = fail_sync(&mut subject, Operation::Ref, 1, "control");
    assert_eq!(site, None, "nobody would notice a store that does not sync");
    figure("F8 control, a store that does not sync: no sync before the acknowledgement, noticed");
}

/// A log whose name is not durable could disappear in a power cut, so nothing may be acknowledged.
#[test]
#[ignore = "a fault case: cargo xtask faults --only F8"]
fn f8_failed_sync_of_directory_fails_start() {
    if let Err(reason) = may_run() {
        return skip(&reason);
    }
    // The first start creates the database, later ones open it.
    let mut subject = Subject::prepare(&[]);
    let new = start_without_directory_sync(&subject);
    subject.launch();
    subject.kill();
    let existing = start_without_directory_sync(&subject);
    for (kind, output) in [("new", new), ("existing", existing)] {
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let expected = format!("cannot sync the directory {} of the database", subject.data().display());
        assert_eq!(output.status.code(), Some(1), "with a {kind} database: {text}");
        assert!(text.contains(&expected), "with a {kind} database: {text}");
    }
    figure("F8, sync of the data directory: a start without it fails and names the directory");
}

/// Ends the server after a while if it starts.
fn start_without_directory_sync(subject: &Subject) -> Output {
    let data = subject.data();
    let mut command = Command::new("strace");
    command.args(["-f", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-P"]).arg(&data);
    command.args(["-e", "inject=fsync,fdatasync:error=EIO", "timeout", "20"]).arg(program_path());
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(&data);
    command.stdin(Stdio::null()).output().expect("strace starts")
}

fn may_run() -> Result<(), String> {
    if !has("strace", "--version") {
        return Err("F8: there is no strace".into());
    }
    let tried = Command::new("strace").args(["-D", "-f", "-o", "/dev/null", "true"]).output();
    if tried.is_ok_and(|output| output.status.success()) { Ok(()) } else { Err("F8: strace may not trace here".into()) }
}

/// Makes one sync of an operation fail, checks the consequences, and restarts the server. Returns what was synced, or
/// nothing if the operation makes fewer syncs.
fn fail_sync(subject: &mut Subject, operation: Operation, call: usize, name: &str) -> Option<String> {
    if operation == Operation::BlobAndClone {
        // Created before, so that the syncs are those of packing.
        let body = json!({ "content": name }).to_string();
        let made = Client::new(subject.server().address, TOKEN).send("POST", &format!("{REPO}/git/blobs"), &body);
        assert!(made.is_ok_and(|response| response.is_success()), "a blob can be made");
    }
    let injection = Injection::attach(subject, &operation.paths(&subject.data()), call);
    let acknowledged = operation.run(subject, name);
    let site = injection.site();
    if let Some(site) = &site {
        let may_succeed = operation == Operation::BlobAndClone || site == SYNCED_BY_SQLITE;
        assert!(!acknowledged || may_succeed, "{operation:?} was acknowledged though sync {call} failed: {site:?}");
        check_what_follows(subject, &injection, operation, name);
    }
    drop(injection);
    subject.restart();
    expect_whole(subject, &format!("F8, {operation:?}, sync {call}"));
    site
}

/// A write that is acknowledged after the failure must not depend on dropped data.
fn check_what_follows(subject: &Subject, injection: &Injection, operation: Operation, name: &str) {
    for number in 0..TRIES {
        if Operation::Ref.run(subject, &format!("{name}-after-{number}")) {
            if injection.site().is_some_and(|site| site.contains("plinth.db")) {
                assert!(injection.was_reopened(), "{name}: a write was acknowledged before the database was reopened");
            }
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    if operation == Operation::Push && operation.run(subject, &format!("{name}-again")) {
        assert!(injection.was_synced_since(".pack"), "{name}: a push was acknowledged without a sync of its pack");
        assert!(injection.was_synced_since("/objects/pack"), "{name}: and without a sync of the directory");
    }
}

impl Operation {
    /// Whether it was acknowledged.
    fn run(self, subject: &Subject, name: &str) -> bool {
        let (server, ledger) = (subject.server(), subject.ledger());
        let mut client = Client::new(server.address, TOKEN);
        let mut write = |action, path: &str, body| {
            // Data of a failed sync may reappear when the log is recovered.
            let sent = writer::write(&mut client, ledger, action, ("POST", path, &body), |status| status < 500);
            sent.is_ok_and(|response| response.is_success())
        };
        match self {
            Operation::Ref => {
                let (name, sha) = (format!("{REF_PREFIX}{name}"), subject.commits()[0].clone());
                let body = json!({ "ref": name, "sha": sha });
                write(Action::Ref { name, sha: Some(sha) }, &format!("{REPO}/git/refs"), body)
            }
            Operation::Comment => {
                let tip = git_ok(subject.home(), &["ls-remote", &url(server), "refs/heads/topic"]);
                let body = json!({ "body": name, "commit_id": &tip[..40], "path": "file", "line": 2, "side": "RIGHT" });
                write(Action::Comment { body: name.into() }, &format!("{REPO}/pulls/1/comments"), body)
            }
            Operation::Push | Operation::PushLog => push(subject, name),
            Operation::BlobAndClone => {
                let directory = tempfile::tempdir_in(subject.home()).expect("a temporary directory can be created");
                git(directory.path(), &["clone", "--quiet", "--mirror", &url(server), "m"]).status.success()
            }
            Operation::Repository => {
                let sent = client.send("POST", "/user/repos", &json!({ "name": name }).to_string());
                sent.is_ok_and(|response| response.is_success())
            }
        }
    }

    /// The only files whose syncs fail, if not all.
    fn paths(self, data: &Path) -> Vec<PathBuf> {
        match self {
            Operation::PushLog => vec![data.join("plinth.db-wal"), data.join("plinth.db")],
            _ => Vec::new(),
        }
    }
}

fn push(subject: &Subject, name: &str) -> bool {
    let work = subject.work();
    let parent = &subject.commits()[0];
    let sha = git_ok(&work, &["commit-tree", &format!("{parent}^{{tree}}"), "-p", parent, "-m", name]);
    let name = format!("{REF_PREFIX}{name}");
    let operation = subject.ledger().invoke(Action::Push { names: vec![name.clone()], sha: sha.clone() });
    let pushed = git(&work, &["push", "--quiet", &url(subject.server()), &format!("{sha}:{name}")]).status.success();
    subject.ledger().write(&if pushed { Event::Ok { operation, id: None } } else { Event::Unknown { operation } });
    pushed
}
