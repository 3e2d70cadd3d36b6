//! On SIGTERM the server finishes requests in flight; after a restart it has all data.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::{Server, begin_post, wait_until};

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory can be created")
}

#[test]
fn stop_finishes_request_in_flight_and_keeps_its_write() {
    let directory = directory();
    let mut server = Server::start(directory.path(), &[]);
    let (mut under_way, rest) = begin_post(&server, "under-way");
    // An idle connection does not delay the stop.
    let _idle = server.connect();
    server.wait_in_flight(1);
    server.signal(Signal::TERM);
    wait_until("no new connection is taken", || TcpStream::connect(server.address).is_err());
    under_way.send(&rest);
    assert_eq!(under_way.response().status(), 201);
    assert_eq!(server.wait(), Some(0));
    let server = Server::start(directory.path(), &[]);
    assert_eq!(server.get("/repos/mona/under-way").status(), 200);
    assert_eq!(server.get("/repos/mona/never").status(), 404);
}

#[test]
fn stop_closes_unfinished_connection_after_grace_period() {
    let directory = directory();
    let mut server = Server::start(directory.path(), &["--drain-seconds", "1"]);
    let (_stuck, _) = begin_post(&server, "stuck");
    server.wait_in_flight(1);
    let started = Instant::now();
    server.signal(Signal::INT);
    assert_eq!(server.wait(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}

#[test]
fn ephemeral_server_removes_its_directory() {
    let directory = directory();
    let mut server = Server::start(directory.path(), &["--ephemeral"]);
    let (mut post, rest) = begin_post(&server, "gone");
    post.send(&rest);
    assert_eq!(post.response().status(), 201);
    server.signal(Signal::TERM);
    assert_eq!(server.wait(), Some(0));
    let server = Server::start(directory.path(), &["--ephemeral"]);
    assert_eq!(server.get("/repos/mona/gone").status(), 404);
    assert!(!directory.path().join("data").join("plinth.db").exists());
}
