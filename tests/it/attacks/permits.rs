//! Attacks on the permits that all requests, clones and pushes share.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::support::{Victim, git};
use crate::process::wait_until;

fn connect(victim: &Victim, patience: Duration) -> TcpStream {
    let stream = TcpStream::connect(victim.server().address).expect("the server accepts connections");
    stream.set_read_timeout(Some(patience)).expect("a socket accepts a timeout");
    stream
}

/// Requests of which only the head and one byte of the body are sent.
fn trickle(victim: &Victim, count: usize, head: &str) -> Vec<TcpStream> {
    let begin = |_| {
        let mut stream = connect(victim, Duration::from_secs(20));
        stream.write_all(format!("{head}\r\nhost: x\r\ncontent-length: 1000\r\n\r\n0").as_bytes()).expect("a request");
        stream
    };
    (0..count).map(begin).collect()
}

const UPLOAD_PACK: &str = "POST /mallory/target.git/git-upload-pack HTTP/1.1\r\n\
                           content-type: application/x-git-upload-pack-request";

#[test]
fn trickling_bodies_hold_no_permit() {
    let victim = Victim::start(&["--requests-max", "8", "--connections-max", "1024"]);
    let post = "POST /user/repos HTTP/1.1\r\nauthorization: Bearer ghp_mallory";
    let begin = |number| {
        let begun = trickle(&victim, 4, if number % 2 == 0 { UPLOAD_PACK } else { post });
        // Authenticating them is work that needs permits.
        wait_until("only bodies are waited for", || victim.get("ghp_victor", "/user").status() == 200);
        begun
    };
    let crowd: Vec<_> = (0..32).flat_map(begin).collect();
    victim.server().wait_in_flight(100);
    let bystander = victim.bystander();
    assert_eq!(victim.get("ghp_victor", "/user").status(), 200);
    bystander.assert_served();
    victim.assert_unharmed();
    drop(crowd);
}

#[test]
fn trickling_negotiation_times_out() {
    let victim = Victim::start(&["--request-seconds", "1"]);
    for mut stream in trickle(&victim, 3, UPLOAD_PACK) {
        let mut response = String::new();
        let _ = stream.read_to_string(&mut response);
        assert!(response.starts_with("HTTP/1.1 400 ") && response.contains("too slowly"), "{response}");
    }
}

/// A pack that exceeds any socket buffer.
fn push_noise(victim: &Victim) -> String {
    let work = victim.path().join("noise");
    std::fs::create_dir(&work).expect("a directory");
    git(&work, &["init", "--quiet", "--initial-branch=noise"]);
    let noise = (0..3_000_000u64).flat_map(|number| (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7).to_be_bytes());
    std::fs::write(work.join("noise.bin"), noise.collect::<Vec<u8>>()).expect("a file");
    git(&work, &["add", "."]);
    git(&work, &["commit", "--quiet", "-m", "noise"]);
    let pushed = git(&work, &["push", "--quiet", &victim.push_url(), "noise"]);
    assert!(pushed.status.success(), "{}", String::from_utf8_lossy(&pushed.stderr));
    String::from_utf8_lossy(&git(&work, &["rev-parse", "HEAD"]).stdout).trim().to_owned()
}

/// Begins to fetch without a credential, and reads only the first line.
fn begin_fetch(victim: &Victim, tip: &str) -> (TcpStream, bool) {
    let lines = ["command=fetch".to_owned(), format!("want {tip}"), "done".to_owned()];
    let [command, want, done] = lines.map(|line| format!("{:04x}{line}", line.len() + 4));
    let body = format!("{command}0001{want}{done}0000");
    let mut stream = connect(victim, Duration::from_millis(500));
    let head = format!("{UPLOAD_PACK}\r\nhost: x\r\ngit-protocol: version=2\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).expect("a request");
    let mut first = [0; 12];
    let has_begun = stream.read_exact(&mut first).is_ok() && first.ends_with(b"200");
    (stream, has_begun)
}

#[test]
fn slow_clones_of_one_caller_leave_permits_for_others() {
    let victim = Victim::start(&["--git-processes-max", "8", "--git-processes-per-caller-max", "2"]);
    let tip = push_noise(&victim);
    let slow: Vec<(TcpStream, bool)> = (0..8).map(|_| begin_fetch(&victim, &tip)).collect();
    assert!(slow[0].1 && slow[1].1, "some are served");
    let begun = slow.iter().filter(|(_, has_begun)| *has_begun).count();
    let url = format!("http://{}/mallory/target.git", victim.server().address);
    // By default git sends a credential only after a 401.
    let token = format!("http.extraHeader=Authorization: Basic {}", STANDARD.encode("victor:ghp_victor"));
    for (name, setting) in [("signed-in", token.as_str()), ("anonymous", "http.postBuffer=1048576")] {
        let cloned = git(victim.path(), &["-c", setting, "clone", "--quiet", "--branch", "noise", &url, name]);
        let log = || format!("{}{}", String::from_utf8_lossy(&cloned.stderr), victim.server().log());
        assert!(cloned.status.success(), "{name}: {}", log());
        assert!(victim.path().join(name).join("noise.bin").exists());
    }
    assert!((2..8).contains(&begun), "one caller has its part and no more: {begun}");
    victim.assert_unharmed();
}

#[test]
fn clones_of_one_caller_queue() {
    let victim = Victim::start(&["--git-processes-max", "2", "--git-processes-per-caller-max", "1"]);
    let address = victim.server().address;
    std::thread::scope(|scope| {
        for number in 0..6 {
            let (path, url) = (victim.path(), format!("http://victor:ghp_victor@{address}/mallory/target.git"));
            scope.spawn(move || {
                let cloned = git(path, &["clone", "--quiet", &url, &format!("clone{number}")]);
                assert!(cloned.status.success(), "{}", String::from_utf8_lossy(&cloned.stderr));
            });
        }
    });
}
