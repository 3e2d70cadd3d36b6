//! A failed sync is final: the write is not acknowledged, and no other write is until the store was verified.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::process::{HttpResponse, Server, begin_post, full_disk, wait_until};

/// `strace` that makes system calls of a running server fail or wait, until it is dropped.
struct Fault {
    strace: Child,
    server: u32,
}

impl Fault {
    fn inject(server: &Server, what: &str) -> Self {
        let (calls, _) = what.split_once(':').expect("calls and what happens to them");
        let strace = Command::new("strace")
            .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={calls}"), "-e", &format!("inject={what}")])
            .args(["-p", &server.id().to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("strace starts");
        let fault = Self { strace, server: server.id() };
        wait_until("strace looks on", || fault.is_attached());
        fault
    }

    /// Whether every thread is traced.
    fn is_attached(&self) -> bool {
        let mut threads = std::fs::read_dir(format!("/proc/{}/task", self.server)).expect("the server runs").flatten();
        let is_traced = |thread: std::fs::DirEntry| {
            let status = std::fs::read_to_string(thread.path().join("status")).unwrap_or_default();
            status.lines().any(|line| line.starts_with("TracerPid:") && !line.ends_with("\t0"))
        };
        threads.all(is_traced)
    }
}

impl Drop for Fault {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process(Pid::from_child(&self.strace), Signal::INT);
        let _ = self.strace.wait();
    }
}

fn post(server: &Server, path: &str, body: &str) -> HttpResponse {
    server.request(&format!("POST {path} HTTP/1.1\r\nauthorization: Bearer ghp_monamona"), body)
}

fn create(server: &Server, name: &str) -> HttpResponse {
    post(server, "/user/repos", &format!(r#"{{"name":"{name}"}}"#))
}

const REOPENED: &str = "reopened and verified; writes are taken again";

#[test]
#[ignore = "needs strace: cargo xtask test --only durability"]
fn failed_sync_blocks_writes_until_database_is_verified() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let server = Server::start(directory.path(), &[]);
    assert_eq!(create(&server, "before").status(), 201);

    // One sync fails and the next would succeed, which proves nothing about the data of the first.
    let fault = Fault::inject(&server, "fsync,fdatasync:error=EIO:when=1");
    let rejected = create(&server, "once");
    assert_eq!((rejected.status(), rejected.header("retry-after")), (503, Some("1")));
    wait_until("writes are taken again", || create(&server, "twice").status() == 201);
    assert_eq!(server.log().matches(REOPENED).count(), 1, "{}", server.log());
    drop(fault);

    // While syncs fail, no write is accepted, and readiness reports it.
    let fault = Fault::inject(&server, "fsync,fdatasync:error=EIO");
    for name in ["a", "b", "c"] {
        assert_eq!(create(&server, name).status(), 503);
    }
    assert_eq!(server.get("/readyz").status(), 503);
    assert_eq!(server.get("/repos/mona/before").status(), 200, "reading goes on");
    assert_eq!(server.log().matches(REOPENED).count(), 1, "{}", server.log());
    drop(fault);
    wait_until("writes are taken again", || create(&server, "after").status() == 201);
    wait_until("it is ready again", || server.get("/readyz").status() == 200);
    assert_eq!(server.log().matches(REOPENED).count(), 2, "{}", server.log());

    drop(server);
    let server = Server::start(directory.path(), &[]);
    for (name, status) in [("before", 200), ("once", 404), ("twice", 200), ("a", 404), ("after", 200)] {
        assert_eq!(server.get(&format!("/repos/mona/{name}")).status(), status, "{name}");
    }
}

#[test]
#[ignore = "needs strace: cargo xtask test --only durability"]
fn pack_with_failed_sync_is_discarded() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let server = Server::start(directory.path(), &[]);
    assert_eq!(create(&server, "rocket").status(), 201);
    let work = directory.path().join("work");
    super::git(directory.path(), &["init", "--quiet", "--initial-branch=main", "work"]);
    let commit = |text: &str| {
        std::fs::write(work.join("file"), text).expect("a file");
        super::git(&work, &["add", "."]);
        super::git(&work, &["commit", "--quiet", "-m", "change"]);
        super::git(&work, &["rev-parse", "HEAD"])
    };
    let url = format!("http://x:ghp_monamona@{}/mona/rocket.git", server.address);
    let push = || {
        let pushed = Command::new("git").current_dir(&work).args(["push", "--quiet", &url, "main"]).output();
        let pushed = pushed.expect("git starts");
        (pushed.status.success(), String::from_utf8_lossy(&pushed.stderr).into_owned())
    };
    commit("one\n");
    assert!(push().0, "{}", server.log());
    let before = packs(directory.path());
    let tip = commit("two\n");
    let fault = Fault::inject(&server, "fsync:error=EIO");
    let (pushed, text) = push();
    assert!(!pushed && text.contains("503"), "{text}");
    assert_eq!(packs(directory.path()), before);
    assert!(server.log().contains("a sync failed: nothing that needs this file is acknowledged"), "{}", server.log());
    let named = post(&server, "/repos/mona/rocket/git/refs", &format!(r#"{{"ref":"refs/heads/x","sha":"{tip}"}}"#));
    assert_ne!(named.status(), 201, "nothing of the pack can be named");
    drop(fault);
    let (pushed, text) = push();
    assert!(pushed, "{text}");
    assert_eq!(packs(directory.path()).len(), before.len() + 1);
}

fn packs(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut directories = vec![directory.join("data/repositories")];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "pack") {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[test]
#[ignore = "needs strace: cargo xtask test --only durability"]
fn stuck_writer_makes_service_unready() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let server = Server::start(directory.path(), &["--metrics-listen", "127.0.0.1:0"]);
    assert_eq!(server.get("/readyz").status(), 200);
    // Every sync takes much longer than a writer may, and longer than a readiness probe waits.
    let fault = Fault::inject(&server, "fsync,fdatasync:delay_enter=12000000");
    let (mut waiting, rest) = begin_post(&server, "slow");
    waiting.send(&rest);
    let metrics = full_disk::metrics_address(&server);
    wait_until("a stuck writer is noticed", || {
        let started = Instant::now();
        let details = full_disk::get(&metrics, "/readyz/details");
        // Everything is slow under strace; readiness must not wait for the sync.
        assert!(started.elapsed() < Duration::from_secs(6), "readiness took {:?}", started.elapsed());
        details.starts_with("HTTP/1.1 503") && details.contains("the writer has been busy")
    });
    assert_eq!(server.get("/readyz").status(), 503);
    drop(fault);
    wait_until("it is ready again", || server.get("/readyz").status() == 200);
}
