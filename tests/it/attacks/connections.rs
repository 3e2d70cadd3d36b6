//! Attacks with connections: silent ones, slow readers, and closed windows.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::support::{Victim, git};
use crate::process::{try_get, wait_until};

const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const BLOB_BYTES: usize = 31 << 20;

fn connect(victim: &Victim) -> TcpStream {
    let stream = TcpStream::connect_timeout(&victim.server().address, Duration::from_secs(20));
    let stream = stream.expect("the server accepts connections");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket accepts a timeout");
    stream
}

/// Opens connections that send only `words`.
fn open(victim: &Victim, count: usize, words: &[u8]) -> Vec<TcpStream> {
    let open = |_| {
        let mut stream = connect(victim);
        stream.write_all(words).expect("the bytes can be sent");
        stream
    };
    (0..count).map(open).collect()
}

#[test]
fn silent_connections_do_not_block_other_clients() {
    let victim = Victim::start(&["--connections-max", "64"]);
    let bystander = victim.bystander();
    let mut crowd = open(&victim, 200, b"");
    crowd.extend(open(&victim, 200, b"G"));
    crowd.extend(open(&victim, 200, HTTP2_PREFACE));
    crowd.extend(open(&victim, 200, b"GET /meta HTTP/1.1\r\nhost: x\r\n"));
    assert_eq!(try_get(victim.server().address, "", "/healthz"), Some(200));
    bystander.assert_served();
    assert!(victim.server().metric("plinth_connections_open") <= 128.0);
    victim.assert_unharmed();
    drop(crowd);
}

#[test]
fn silent_connections_time_out() {
    let victim = Victim::start(&["--request-seconds", "1"]);
    let mut crowd = open(&victim, 3, b"");
    crowd.extend(open(&victim, 3, b"P"));
    crowd.extend(open(&victim, 3, HTTP2_PREFACE));
    for mut stream in crowd {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("the server closes");
    }
}

#[test]
fn one_ip_address_cannot_exhaust_connections() {
    let victim = Victim::start(&["--connections-max", "40", "--connections-per-peer-max", "8"]);
    // Each has a request in flight, so none of them is closed for another.
    let busy: Vec<TcpStream> = open(&victim, 8, &trickle(0));
    victim.server().wait_in_flight(8);
    // Health checks are served, and everything else is rejected with a message.
    assert_eq!(try_get(victim.server().address, "", "/healthz"), Some(200));
    let rejected = victim.get("ghp_victor", "/user");
    assert_eq!((rejected.status(), rejected.header("retry-after")), (503, Some("1")), "{rejected:?}");
    assert!(rejected.body().contains("\"message\""), "{rejected:?}");
    drop(busy);
    wait_until("there is room again", || victim.get("ghp_victor", "/user").status() == 200);
}

/// A request whose body does not arrive.
fn trickle(sent: usize) -> Vec<u8> {
    let head =
        "POST /user/repos HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ghp_mallory\r\ncontent-length: 1000\r\n\r\n";
    [head.as_bytes(), &vec![b' '; sent]].concat()
}

#[test]
fn stalled_bodies_are_closed_for_other_clients() {
    let victim = Victim::start(&["--connections-max", "16", "--request-seconds", "60"]);
    let crowd = open(&victim, 16, &trickle(1));
    victim.server().wait_in_flight(16);
    wait_until("a newcomer is served", || victim.get("ghp_victor", "/user").status() == 200);
    let bystander = victim.bystander();
    let more = open(&victim, 4, b"");
    (0..5).for_each(|_| assert_eq!(victim.get("ghp_victor", "/user").status(), 200));
    bystander.assert_served();
    drop((crowd, more));
}

/// Pushes so many different large blobs, and returns their ids.
fn push_blobs(victim: &Victim, count: u8) -> Vec<String> {
    let work = victim.path().join("work");
    std::fs::create_dir(&work).expect("a directory");
    git(&work, &["init", "--quiet", "--initial-branch=large"]);
    let blobs = (0..count).map(|number| {
        let name = format!("{number}.txt");
        std::fs::write(work.join(&name), vec![b'a' + number; BLOB_BYTES]).expect("a file");
        let hashed = git(&work, &["hash-object", "-w", &name]);
        String::from_utf8_lossy(&hashed.stdout).trim().to_owned()
    });
    let blobs = blobs.collect();
    git(&work, &["add", "."]);
    git(&work, &["commit", "--quiet", "-m", "large"]);
    let pushed = git(&work, &["push", "--quiet", &victim.push_url(), "large"]);
    assert!(pushed.status.success(), "{}", String::from_utf8_lossy(&pushed.stderr));
    blobs
}

fn ask_for_blob(victim: &Victim, blob: &str) -> TcpStream {
    let mut stream = connect(victim);
    let head = format!(
        "GET /repos/mallory/target/git/blobs/{blob} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ghp_mallory\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("the request can be sent");
    stream
}

fn status_of(stream: &mut TcpStream) -> String {
    let mut first = [0; 12];
    let _ = stream.read_exact(&mut first);
    String::from_utf8_lossy(&first[9..]).into_owned()
}

#[test]
fn unread_responses_of_one_large_blob_share_memory() {
    let victim = Victim::start(&[]);
    let blob = push_blobs(&victim, 1).remove(0);
    let bystander = victim.bystander();
    let mut readers: Vec<TcpStream> = (0..60).map(|_| ask_for_blob(&victim, &blob)).collect();
    for reader in &mut readers {
        assert_eq!(status_of(reader), "200");
    }
    bystander.assert_served();
    victim.assert_unharmed();
    // A client that reads gets the whole response.
    let mut whole = Vec::new();
    let _ = readers[0].read_to_end(&mut whole);
    let body = whole.windows(4).position(|end| end == b"\r\n\r\n").map(|end| &whole[end + 4..]).expect("a head");
    let parsed: serde_json::Value = serde_json::from_slice(body).expect("JSON");
    assert_eq!(parsed["size"], BLOB_BYTES);
    let content = parsed["content"].as_str().expect("a text").replace('\n', "");
    assert!(content.len() == BLOB_BYTES.div_ceil(3) * 4 && content.starts_with("YWFh"));
}

#[test]
fn unread_responses_of_many_large_blobs_stay_within_memory_limit() {
    let victim = Victim::start(&["--request-seconds", "12"]);
    let blobs = push_blobs(&victim, 8);
    let bystander = victim.bystander();
    let mut readers: Vec<TcpStream> =
        (0..24).map(|number| ask_for_blob(&victim, &blobs[number % blobs.len()])).collect();
    let statuses: Vec<String> = readers.iter_mut().map(status_of).collect();
    assert!(statuses.iter().any(|status| status == "200"), "{statuses:?}");
    assert!(statuses.iter().all(|status| status == "200" || status == "503"), "{statuses:?}");
    bystander.assert_served();
    victim.assert_unharmed();
}

#[test]
fn client_that_does_not_read_is_closed() {
    let victim = Victim::start(&["--write-seconds", "1"]);
    let blob = push_blobs(&victim, 1).remove(0);
    let mut reader = ask_for_blob(&victim, &blob);
    assert_eq!(status_of(&mut reader), "200");
    wait_until("it is closed", || victim.server().metric("plinth_connections_open") == 0.0);
    let mut rest = Vec::new();
    let _ = reader.read_to_end(&mut rest);
    assert!(rest.len() < BLOB_BYTES, "it had all in time");
    victim.assert_unharmed();
}

#[test]
fn client_with_closed_window_is_closed() {
    let victim = Victim::start(&["--write-seconds", "1", "--keep-alive-seconds", "600"]);
    let mut stream = connect(&victim);
    stream.write_all(HTTP2_PREFACE).expect("the bytes can be sent");
    // SETTINGS with an initial window of zero, then a GET of /meta on stream 1.
    stream.write_all(&[0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]).expect("the bytes can be sent");
    let mut fields = vec![0x82, 0x86, 0x04, 5];
    fields.extend_from_slice(b"/meta");
    fields.extend_from_slice(&[0x01, 1, b'x']);
    let length = u8::try_from(fields.len()).expect("short");
    stream.write_all(&[&[0, 0, length, 1, 5, 0, 0, 0, 1], fields.as_slice()].concat()).expect("the bytes can be sent");
    let mut received = Vec::new();
    stream.read_to_end(&mut received).expect("the server closes");
    // The response had begun: there is a HEADERS frame on stream 1.
    let begun = received.windows(9).any(|frame| frame[3] == 1 && frame[5..] == [0, 0, 0, 1]);
    assert!(begun, "{received:?}");
}
