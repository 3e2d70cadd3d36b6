//! Rate limits hold over all servers.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use rustix::process::Signal;
use serde_json::json;

use super::{Nodes, ROCKET, get, send};
use crate::process::{HttpResponse, Server};

const LIMIT: i64 = 200;
/// What a server leases at once, and again when half of it is used.
const SHARE: i64 = LIMIT / 20;

fn start(nodes: &Nodes, name: &str) -> Server {
    nodes.start_with(name, &["--limits", "true", "--requests-per-hour", &LIMIT.to_string()])
}

fn remaining(response: &HttpResponse) -> i64 {
    response.header("x-ratelimit-remaining").and_then(|value| value.parse().ok()).expect("a number")
}

/// Sends requests until one is rejected, and returns how many were not.
#[track_caller]
fn use_up(server: &Server) -> i64 {
    for passed in 0..=LIMIT {
        let response = server.get(ROCKET);
        if response.status() == 403 {
            assert_eq!(remaining(&response), 0, "{response:?}");
            assert!(response.body().contains("API rate limit exceeded for user ID"), "{response:?}");
            return passed;
        }
        assert_eq!(response.status(), 200, "{response:?}");
        assert!((0..LIMIT).contains(&remaining(&response)), "{response:?}");
    }
    panic!("more than the limit has passed at one server");
}

#[test]
fn requests_spread_over_servers_have_one_limit() {
    let Some(nodes) = Nodes::new() else { return };
    let servers = ["a", "b", "c"].map(|name| start(&nodes, name));
    // One after another, the number that is left falls, by more than one when another server has leased something.
    let mut before = LIMIT;
    for round in 0..9 {
        let left = remaining(&servers[round % 3].get(ROCKET));
        assert!((LIMIT - 9 - 3 * 2 * SHARE..LIMIT).contains(&left), "{left} after {before}");
        before = left;
    }
    let passed = AtomicI64::new(9);
    std::thread::scope(|threads| {
        for client in 0..12 {
            let (server, passed) = (&servers[client % 3], &passed);
            threads.spawn(move || passed.fetch_add(use_up(server), Ordering::Relaxed));
        }
    });
    assert_eq!(passed.into_inner(), LIMIT, "every server uses up what it has leased, and nothing more");
    for server in &servers {
        assert_eq!(server.get(ROCKET).status(), 403);
        let shown = get(server, "/rate_limit")["resources"]["core"].clone();
        assert_eq!((&shown["used"], &shown["remaining"]), (&json!(LIMIT), &json!(0)), "{shown}");
    }
}

#[test]
fn server_that_is_killed_loses_no_more_than_its_lease() {
    let Some(nodes) = Nodes::new() else { return };
    let (mut a, b) = (start(&nodes, "a"), start(&nodes, "b"));
    assert_eq!(a.get(ROCKET).status(), 200);
    a.signal(Signal::KILL);
    a.wait();
    let passed = use_up(&b);
    assert!((LIMIT - 2 * SHARE..LIMIT).contains(&passed), "{passed}");
}

#[test]
fn server_that_stops_gives_back_its_lease() {
    let Some(nodes) = Nodes::new() else { return };
    let (mut a, b) = (start(&nodes, "a"), start(&nodes, "b"));
    assert_eq!(a.get(ROCKET).status(), 200);
    a.signal(Signal::TERM);
    assert_eq!(a.wait(), Some(0));
    assert_eq!(use_up(&b), LIMIT - 1);
}

#[test]
fn unchanged_responses_are_not_counted() {
    let Some(nodes) = Nodes::new() else { return };
    let servers = ["a", "b"].map(|name| start(&nodes, name));
    let tag = servers[0].get(ROCKET).header("etag").expect("an entity tag").to_owned();
    for round in 0..LIMIT {
        let head = format!("GET {ROCKET} HTTP/1.1\r\nauthorization: Bearer ghp_monamona\r\nif-none-match: {tag}");
        assert_eq!(servers[usize::try_from(round % 2).expect("it is small")].request(&head, "").status(), 304);
    }
    assert_eq!(servers.iter().map(use_up).sum::<i64>(), LIMIT - 1);
}

#[test]
fn created_content_has_one_limit() {
    let Some(nodes) = Nodes::new() else { return };
    let options = ["--limits", "true"];
    let servers = ["a", "b", "c"].map(|name| nodes.start_with(name, &options));
    let (created, started) = (AtomicI64::new(0), Instant::now());
    std::thread::scope(|threads| {
        for client in 0..6 {
            let (server, created) = (&servers[client % 3], &created);
            threads.spawn(move || {
                for number in 0..20 {
                    let title = json!({ "title": format!("{client} {number}") });
                    let response = send(server, "POST", &format!("{ROCKET}/issues"), &title);
                    match response.status() {
                        201 => _ = created.fetch_add(1, Ordering::Relaxed),
                        _ => assert!(response.header("retry-after").is_some(), "{response:?}"),
                    }
                }
            });
        }
    });
    // A busy machine may need several minutes, each with a limit of its own.
    let minutes = i64::try_from(started.elapsed().as_secs() / 60).expect("it is small") + 1;
    assert!((80..=80 * minutes).contains(&created.into_inner()), "in {minutes} minutes");
}
