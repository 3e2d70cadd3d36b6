//! A request for refs with as many prefixes as fit into it.

use std::fmt::Write as _;

use super::support::{METRICS, Victim};

fn question(count: usize) -> String {
    let mut body = "0014command=ls-refs\n0001".to_owned();
    for number in 0..count {
        let line = format!("ref-prefix refs/heads/{number}-");
        write!(body, "{:04x}{line}", line.len() + 4).expect("a string accepts any text");
    }
    let line = "ref-prefix refs/heads/ma";
    write!(body, "{:04x}{line}0000", line.len() + 4).expect("a string accepts any text");
    body
}

fn ask(victim: &Victim, count: usize) -> String {
    let head = "POST /mallory/target.git/git-upload-pack HTTP/1.1\r\ngit-protocol: version=2\r\n\
                content-type: application/x-git-upload-pack-request";
    let response = victim.server().request(head, &question(count));
    assert_eq!(response.status(), 200, "{response:?}");
    response.body().to_owned()
}

/// Each prefix was once a separate query.
#[test]
fn many_ref_prefixes_cost_no_more_than_all_refs() {
    let victim = Victim::start(METRICS);
    let bystander = victim.bystander();
    for count in [10, 100, 4_000, 60_000] {
        assert!(ask(&victim, count).contains(" refs/heads/main"), "{count} prefixes");
    }
    bystander.assert_served();
    let many = victim.statements_of(|| drop(ask(&victim, 60_000)));
    let none = victim.statements_of(|| drop(ask(&victim, 1_000)));
    assert!(many <= none + 2 && none < 20, "{many} statements for many prefixes, {none} for fewer");
    victim.assert_unharmed();
}
