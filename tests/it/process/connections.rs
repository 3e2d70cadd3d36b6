//! Connections that are slow, greedy or malformed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{DEADLINE, Server, begin_post, wait_until};

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory can be created")
}

#[test]
fn incomplete_headers_time_out() {
    let directory = directory();
    let server = Server::start(directory.path(), &["--ephemeral", "--request-seconds", "1"]);
    let started = Instant::now();
    let mut slow = server.connect();
    slow.send("GET /meta HTTP/1.1\r\nhost: x\r\n");
    let mut sent = 0;
    while slow.try_send("x-more: y\r\n") {
        sent += 1;
        assert!(started.elapsed() < DEADLINE, "still open after {sent} headers");
        // Slow on purpose: a client that sends a header now and then gets no more time.
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(slow.response().status() != 200);
    // A request whose body does not arrive times out.
    let (mut stuck, _) = begin_post(&server, "never");
    let response = stuck.response();
    assert_eq!((response.status(), response.header("retry-after")), (503, Some("1")), "{response:?}");
    assert_eq!(server.get("/meta").status(), 200);
}

#[test]
fn slow_connections_do_not_block_other_clients() {
    let directory = directory();
    let server = Server::start(directory.path(), &["--ephemeral"]);
    let mut slow = Vec::new();
    for _ in 0..200 {
        let mut connection = server.connect();
        connection.send("GET /meta HTTP/1.1\r\n");
        slow.push(connection);
    }
    wait_until("all are open", || server.metric("plinth_connections_open") >= 200.0);
    let started = Instant::now();
    for _ in 0..20 {
        assert_eq!(server.get("/meta").status(), 200);
    }
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn oversized_headers_return_431_and_targets_414() {
    let directory = directory();
    let server = Server::start(directory.path(), &["--ephemeral"]);
    let with_header = |bytes: usize| {
        let mut raw = server.connect();
        raw.try_send(&format!(
            "GET /meta HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-long: {}\r\n\r\n",
            "x".repeat(bytes)
        ));
        raw.response()
    };
    assert_eq!(with_header(15 * 1024).status(), 200);
    let response = with_header(17 * 1024);
    assert_eq!(response.status(), 431);
    assert!(response.body().contains("larger than 16384 bytes"), "{response:?}");
    assert_eq!(with_header(200 * 1024).status(), 431);
    let many = "x: y\r\n".repeat(5_000);
    let mut raw = server.connect();
    raw.try_send(&format!("GET /meta HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{many}\r\n"));
    assert_eq!(raw.response().status(), 431);
    let response = server.get(&format!("/meta?{}", "x".repeat(9 * 1024)));
    assert_eq!(response.status(), 414);
    assert!(response.body().contains("longer than 8192 bytes"), "{response:?}");
}

#[test]
fn excess_requests_are_rejected_at_once_and_served_later() {
    let directory = directory();
    let server = Server::start(directory.path(), &["--requests-max", "1"]);
    let rejected = AtomicBool::new(false);
    // Each write holds the only permit while it waits for the disk.
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let (server, rejected) = (&server, &rejected);
            scope.spawn(move || {
                for number in 0..200 {
                    if rejected.load(Ordering::Relaxed) {
                        return;
                    }
                    let (mut post, rest) = begin_post(server, &format!("r{writer}-{number}"));
                    post.send(&rest);
                    let response = post.response();
                    if response.status() == 503 {
                        assert_eq!(response.header("retry-after"), Some("1"), "{response:?}");
                        rejected.store(true, Ordering::Relaxed);
                    } else {
                        assert_eq!(response.status(), 201, "{response:?}");
                    }
                }
            });
        }
    });
    assert!(rejected.load(Ordering::Relaxed), "no request was rejected");
    assert_eq!(server.get("/readyz").status(), 200);
    assert_eq!(server.get("/meta").status(), 200);
}

#[test]
fn request_waiting_for_its_body_holds_no_permit() {
    let directory = directory();
    let server = Server::start(directory.path(), &["--ephemeral", "--requests-max", "1"]);
    let (mut slow, rest) = begin_post(&server, "slow");
    server.wait_in_flight(1);
    // It holds a permit until its head is checked, which may be later than it is counted.
    wait_until("the only permit is free", || server.get("/user").status() == 200);
    slow.send(&rest);
    assert_eq!(slow.response().status(), 201);
}

/// A request that two servers could parse differently is rejected.
#[test]
fn request_with_two_content_lengths_is_rejected() {
    let directory = directory();
    let server = Server::start(directory.path(), &["--ephemeral"]);
    let hidden = "GET /meta HTTP/1.1\r\nhost: x\r\n\r\n";
    for head in [
        "content-length: 5\r\ncontent-length: 6\r\n",
        "content-length: 5, 6\r\n",
        "content-length: +5\r\n",
        "content-length: -1\r\n",
        "transfer-encoding: chunked, identity\r\n",
        "transfer-encoding: xchunked\r\n",
    ] {
        let mut raw = server.connect();
        raw.try_send(&format!("POST /user/repos HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{head}\r\n{hidden}"));
        let response = raw.response();
        assert_eq!(response.status(), 400, "{head:?}: {response:?}");
        assert_eq!(response.0.matches("HTTP/1.1").count(), 1, "{head:?}: {response:?}");
    }
    for line in ["GET  /meta HTTP/1.1", "GET /meta HTTP/9.9", "GET /me ta HTTP/1.1", "\u{0}", "GET /meta\u{0} HTTP/1.1"]
    {
        let mut raw = server.connect();
        raw.try_send(&format!("{line}\r\nhost: x\r\nconnection: close\r\n\r\n"));
        let status = raw.response().status();
        assert!(status == 0 || (400..=505).contains(&status), "{line:?}: {status}");
    }
    assert_eq!(server.get("/meta").status(), 200);
}
