//! F12: every limit at its boundary: one below, at it, and one above.

use std::time::Duration;

use serde_json::json;

use crate::checker::git_ok;
use crate::client::Client;
use crate::server::begin_post;
use crate::settings::figure;
use crate::subject::{REPO, Subject, TOKEN};
use crate::wait::DEADLINE;

const CONNECTIONS: usize = 8;
const REQUEST_SECONDS: u64 = 1;

/// A limit, and the response to a request of a given size.
struct Limit {
    name: &'static str,
    at: usize,
    within: u16,
    above: u16,
    send: fn(&Subject, usize) -> u16,
}

const LIMITS: &[Limit] = &[
    Limit { name: "bytes of a body", at: 1 << 20, within: 201, above: 413, send: body_bytes },
    Limit { name: "levels of JSON", at: 64, within: 201, above: 400, send: json_levels },
    Limit { name: "bytes of a target", at: 8 << 10, within: 200, above: 414, send: target_bytes },
    Limit { name: "bytes of headers", at: 16 << 10, within: 200, above: 431, send: header_bytes },
    Limit { name: "bytes of a comment", at: 262_144, within: 201, above: 422, send: comment_bytes },
];

impl Limit {
    /// The defect of the limit if it is `at`, if any.
    fn check(&self, subject: &Subject, at: usize) -> Option<String> {
        for (size, expected) in [(at - 1, self.within), (at, self.within), (at + 1, self.above)] {
            let found = (self.send)(subject, size);
            if found != expected {
                return Some(format!("{}: {size} gives {found}, not {expected}", self.name));
            }
        }
        None
    }
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F12"]
fn f12_limits_hold_at_their_boundaries() {
    let subject = Subject::start(None, &[]);
    for limit in LIMITS {
        assert_eq!(limit.check(&subject, limit.at), None);
        // The control: a limit that is off by one is detected.
        assert!(limit.check(&subject, limit.at + 1).is_some(), "{}: nobody would notice one more", limit.name);
        assert!(limit.check(&subject, limit.at - 1).is_some(), "{}: nobody would notice one less", limit.name);
    }
    fill_a_page(&subject);
    assert_eq!([99, 100, 101].map(|items| page_items(&subject, items)), [99, 100, 100], "items of a page");
    figure(&format!("F12: {} limits of requests hold at -1, 0 and +1", LIMITS.len() + 1));
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F12"]
fn f12_pack_size_limit_is_configurable() {
    let mut subject = Subject::start(None, &[]);
    let (sha, pack) = make_pack(&subject);
    for (limit, fits) in [(pack.len() - 1, false), (pack.len(), true), (pack.len() + 1, true)] {
        subject.set_flags(&["--git-pack-bytes-max", &limit.to_string()]);
        subject.restart();
        let printed = push(&subject, &sha, &format!("refs/heads/pack-{limit}"), &pack);
        assert_eq!(printed.contains("unpack ok"), fits, "a pack of {} with a limit of {limit}: {printed}", pack.len());
    }
    figure(&format!("F12: a pack of {} bytes is accepted with that limit and rejected with one less", pack.len()));
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F12"]
fn f12_connections_and_seconds_are_limited() {
    let (count, seconds) = (CONNECTIONS.to_string(), REQUEST_SECONDS.to_string());
    let subject = Subject::start(None, &["--connections-max", &count, "--request-seconds", &seconds]);
    for (open, is_served) in [(CONNECTIONS - 2, true), (CONNECTIONS - 1, true), (CONNECTIONS, false)] {
        // Each has a request in flight: an idle connection may be closed for a new one.
        let open_connections: Vec<_> = (0..open).map(|_| begin_post(subject.server(), "held")).collect();
        subject.server().wait_in_flight(u32::try_from(open).expect("a small number"));
        // A busy machine may be slow to serve, but it never serves one connection too many.
        let timeout = if is_served { DEADLINE } else { Duration::from_millis(400) };
        let response = Client::new(subject.server().address, TOKEN).with_timeout(timeout).get("/meta");
        let status = response.map(|response| response.status);
        assert_eq!(status == Ok(200), is_served, "{open} of {CONNECTIONS} connections are taken: {status:?}");
        drop(open_connections);
        crate::wait::wait_until("there is room again", || subject.server().get("/meta").status() == 200);
    }
    // A body that arrives in time, and one that does not.
    for (pause, expected) in [(REQUEST_SECONDS * 300, &[201][..]), (REQUEST_SECONDS * 3000, &[408, 503])] {
        let body = json!({ "name": format!("slow-{pause}") }).to_string();
        let mut raw = subject.server().connect();
        raw.send(&format!(
            "POST /user/repos HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\nconnection: close\r\n\
             content-length: {}\r\n\r\n{}",
            body.len(),
            &body[..3]
        ));
        std::thread::sleep(Duration::from_millis(pause));
        raw.try_send(&body[3..]);
        let found = raw.response().status();
        assert!(expected.contains(&found), "a body after {pause} ms gives {found}");
    }
    figure(&format!("F12: {CONNECTIONS} connections are served, one more is not; a request has {REQUEST_SECONDS} s"));
}

fn post(subject: &Subject, path: &str, body: &str) -> u16 {
    let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\nconnection: close");
    let mut raw = subject.server().connect();
    // The server may close before it has read everything.
    raw.try_send(&format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()));
    raw.response().status()
}

/// A unique name.
fn fresh(kind: &str) -> String {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    format!("{kind}-{}", NUMBER.fetch_add(1, Ordering::SeqCst))
}

fn body_bytes(subject: &Subject, bytes: usize) -> u16 {
    let body = json!({ "name": fresh("body") }).to_string();
    let room = " ".repeat(bytes - body.len());
    post(subject, "/user/repos", &format!("{body}{room}"))
}

fn json_levels(subject: &Subject, levels: usize) -> u16 {
    let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
    post(subject, "/user/repos", &format!("{{\"name\":\"{}\",\"more\":{open}{close}}}", fresh("deep")))
}

fn target_bytes(subject: &Subject, bytes: usize) -> u16 {
    let target = format!("/meta?{}", "x".repeat(bytes - "/meta?".len()));
    subject.server().request(&format!("GET {target} HTTP/1.1"), "").status()
}

fn header_bytes(subject: &Subject, bytes: usize) -> u16 {
    let others = "host".len() + "x".len() + "connection".len() + "close".len() + "x-long".len();
    let mut raw = subject.server().connect();
    let value = "x".repeat(bytes - others);
    raw.try_send(&format!("GET /meta HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-long: {value}\r\n\r\n"));
    raw.response().status()
}

fn comment_bytes(subject: &Subject, bytes: usize) -> u16 {
    comment(subject, &"x".repeat(bytes))
}

fn comment(subject: &Subject, body: &str) -> u16 {
    let tip = subject.server().get(&format!("{REPO}/git/ref/heads/topic"));
    let tip: serde_json::Value = serde_json::from_str(tip.body()).expect("JSON");
    let body = json!({ "body": body, "commit_id": tip["object"]["sha"], "path": "file", "line": 2, "side": "RIGHT" });
    post(subject, &format!("{REPO}/pulls/1/comments"), &body.to_string())
}

/// More comments than fit a page.
fn fill_a_page(subject: &Subject) {
    for _ in 0..103 {
        assert_eq!(comment(subject, &fresh("page")), 201);
    }
}

/// A page is truncated, not rejected: the result is its length.
fn page_items(subject: &Subject, items: usize) -> u16 {
    let mut client = Client::new(subject.server().address, TOKEN);
    let list = client.get(&format!("{REPO}/pulls/1/comments?per_page={items}")).expect("the server responds").json();
    u16::try_from(list.as_array().map_or(0, Vec::len)).unwrap_or_default()
}

/// A new commit, and a pack with that commit only.
fn make_pack(subject: &Subject) -> (String, Vec<u8>) {
    let work = subject.work();
    let parent = &subject.commits()[0];
    let message = "a message of some length, so that there is something to limit ".repeat(10);
    let sha = git_ok(&work, &["commit-tree", &format!("{parent}^{{tree}}"), "-p", parent, "-m", &message]);
    let name = work.join("made");
    let list = work.join("list");
    std::fs::write(&list, format!("{sha}\n")).expect("the file can be written");
    let input = std::fs::File::open(&list).expect("it was just written");
    let mut packing = std::process::Command::new("git");
    packing.current_dir(&work).args(["pack-objects", "--quiet"]).arg(&name).stdin(input);
    let hash = packing.output().expect("git runs");
    let hash = String::from_utf8_lossy(&hash.stdout).trim().to_owned();
    (sha, std::fs::read(format!("{}-{hash}.pack", name.display())).expect("git made a pack"))
}

/// Pushes exactly this pack, and returns the response.
fn push(subject: &Subject, sha: &str, name: &str, pack: &[u8]) -> String {
    let command = format!("{} {sha} {name}\0report-status", "0".repeat(40));
    let mut body = format!("{:04x}{command}0000", command.len() + 4).into_bytes();
    body.extend_from_slice(pack);
    let head = format!(
        "POST /mona/rocket.git/git-receive-pack HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\n\
         content-type: application/x-git-receive-pack-request\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut raw = subject.server().connect();
    raw.try_send_bytes(&[head.as_bytes(), &body].concat());
    raw.response().0
}
