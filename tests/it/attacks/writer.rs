//! Attacks on other writers: requests that keep the store busy.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use super::support::{Victim, git};

const STATE: &str = "
users: [{ login: mallory }, { login: victor }]
repos:
  - name: mallory/target
    commits:
      - { branch: main, author: mallory, message: one, files: { a.txt: \"1\\n\" } }
      - { branch: next, from: main, author: mallory, message: two, files: { a.txt: \"2\\n\" } }
  - { name: victor/quiet, commits: [{ branch: main, author: victor, message: one, files: { a.txt: \"1\\n\" } }] }
pulls: [{ repo: mallory/target, title: Two, author: mallory, head: next, base: main }]
tokens:
  - { kind: classic, user: mallory, scopes: [repo], token: ghp_mallory }
  - { kind: classic, user: victor, scopes: [repo], token: ghp_victor }
";
const REVIEWS: usize = 4;
const COMMENTS: usize = 95;
const REFS: usize = 1_050;
const REFS_PER_TRANSACTION_MAX: usize = 250;

/// A metric about write transactions.
fn transactions(metrics: SocketAddr, figure: &str) -> f64 {
    let page = crate::process::get_page(metrics, "/metrics");
    let name = format!("plinth_write_transaction_seconds_{figure}");
    let line = page.lines().find_map(|line| line.strip_prefix(&name)?.strip_prefix(' '));
    line.and_then(|number| number.parse::<f64>().ok()).unwrap_or_else(|| panic!("{name} is served: {page}"))
}

/// Sets a flag when it is dropped.
struct EndOnDrop<'a>(&'a AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Creates refs in another repository while `attack` runs; all of them must succeed.
fn while_victor_writes<T: Send>(victim: &Victim, attack: impl FnOnce() -> T + Send) -> T {
    let ended = AtomicBool::new(false);
    let main = victim.get("ghp_victor", "/repos/victor/quiet/git/ref/heads/main");
    let main: serde_json::Value = serde_json::from_str(main.body()).expect("a reference");
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            let mut statuses = Vec::new();
            while !ended.load(Ordering::SeqCst) {
                let name = format!("refs/heads/made-{}", statuses.len());
                let body = json!({ "ref": name, "sha": main["object"]["sha"] }).to_string();
                statuses.push(victim.send("ghp_victor", "POST", "/repos/victor/quiet/git/refs", &body).status());
                std::thread::sleep(Duration::from_millis(5));
            }
            statuses
        });
        let outcome = {
            // Also if the attack fails: victor would never end.
            let _end = EndOnDrop(&ended);
            attack()
        };
        let statuses = writing.join().expect("victor does not panic");
        assert!(!statuses.is_empty() && statuses.iter().all(|status| *status == 201), "{statuses:?}");
        outcome
    })
}

/// A text of about 10 KB that is slow to parse as Markdown, with a mention.
fn expensive(number: usize) -> String {
    let patterns = ["[a](b) [c *d _e ", "*a **b _c ", "![a](<b> \\\"c ", "a**b__c*"];
    let pattern = patterns[number % patterns.len()];
    format!("@victor {number} {}", pattern.repeat(9_000 / pattern.len()))
}

#[test]
fn slow_markdown_does_not_block_other_writers() {
    // No assertion depends on the speed of the machine.
    let victim = Victim::start_with(STATE, &["--request-seconds", "60"]);
    let metrics = victim.server().metrics;
    let comments: Vec<_> =
        (0..COMMENTS).map(|number| json!({ "path": "a.txt", "line": 1, "body": expensive(number) })).collect();
    let review = json!({ "event": "COMMENT", "body": "slow", "comments": comments }).to_string();
    assert!(review.len() < 1024 * 1024, "the limit of a request body");
    let before = transactions(metrics, "sum");
    let started = Instant::now();
    let statuses = while_victor_writes(&victim, || {
        std::thread::scope(|scope| {
            let path = "/repos/mallory/target/pulls/1/reviews";
            let post = || victim.send("ghp_mallory", "POST", path, &review).status();
            let posting: Vec<_> = (0..REVIEWS).map(|_| scope.spawn(post)).collect();
            posting.into_iter().map(|one| one.join().expect("mallory does not panic")).collect::<Vec<_>>()
        })
    });
    assert!(statuses.iter().all(|status| *status == 200), "a review of many comments is no crime: {statuses:?}");
    let (busy, took) = (transactions(metrics, "sum") - before, started.elapsed().as_secs_f64());
    // On SQLite transactions run one by one: this is the share of the time in which others could not write.
    let is_embedded = victim.database_flags().is_empty();
    assert!(!is_embedded || busy * 2.0 < took, "the writer was busy for {busy} of {took} seconds");
    victim.assert_unharmed();
}

#[test]
fn push_of_very_many_refs_is_split_into_transactions() {
    let victim = Victim::start_with(STATE, &["--request-seconds", "60"]);
    let metrics = victim.server().metrics;
    let clone = tempfile::tempdir().expect("a temporary directory can be made");
    let run = |words: &[&str]| {
        let output = git(clone.path(), words);
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["init", "-q"]);
    run(&["fetch", "-q", &victim.push_url(), "main"]);
    let fetched = String::from_utf8(git(clone.path(), &["rev-parse", "FETCH_HEAD"]).stdout).expect("an id");
    let mut packed = String::from("# pack-refs with: peeled fully-peeled sorted\n");
    for number in 0..REFS {
        writeln!(packed, "{} refs/heads/many/{number:05}", fetched.trim()).expect("a string accepts any text");
    }
    std::fs::write(clone.path().join(".git/packed-refs"), packed).expect("the file can be written");
    let before = transactions(metrics, "count");
    run(&["push", "-q", &victim.push_url(), "refs/heads/many/*:refs/heads/many/*"]);
    let made = transactions(metrics, "count") - before;
    assert!(made >= (REFS / REFS_PER_TRANSACTION_MAX) as f64, "{REFS} names took {made} transactions");
    let listed = String::from_utf8(git(clone.path(), &["ls-remote", &victim.push_url(), "refs/heads/many/*"]).stdout);
    assert_eq!(listed.expect("text").lines().count(), REFS);
    while_victor_writes(&victim, || run(&["push", "-q", &victim.push_url(), "refs/heads/many/*:refs/heads/again/*"]));
    let too_many = git(clone.path(), &["push", "--atomic", &victim.push_url(), "refs/heads/many/*:refs/heads/more/*"]);
    assert!(String::from_utf8_lossy(&too_many.stderr).contains("at most 1000 names"), "{too_many:?}");
    victim.assert_unharmed();
}
