//! Packs that are copied before the move, while the server still runs.

use std::process::Output;

use super::moving::{fill, move_with, responses, serve_alone};
use super::{Nodes, clone, commit, git, push};
use crate::process::owners::{succeed, text};

fn prepare(nodes: &Nodes, name: &str) -> Output {
    move_with(nodes, name, &["--prepare"])
}

fn packs_of(nodes: &Nodes, name: &str) -> usize {
    nodes.copies(name).len()
}

#[test]
fn move_copies_only_packs_that_were_not_prepared() {
    let Some(nodes) = Nodes::new() else { return };
    let alone = serve_alone(&nodes, "alone", &[]);
    fill(&alone, &nodes);
    let prepared = packs_of(&nodes, "alone");
    assert!(prepared > 0);
    let url = nodes.storage.url();
    let first = succeed(prepare(&nodes, "alone"));
    assert!(first.contains(&format!("copied {prepared} packs to {url}, and 0 before")), "{first}");
    let again = succeed(prepare(&nodes, "alone"));
    assert!(again.contains(&format!("copied 0 packs to {url}, and {prepared} before")), "{again}");
    // The server goes on.
    let work = clone(&alone, &nodes.of("later"));
    commit(&work, "file", "after the preparation");
    push(&work, &alone);
    let before = responses(&alone);
    let in_use = move_with(&nodes, "alone", &[]);
    assert!(!in_use.status.success() && text(&in_use).contains("in use by"), "{}", text(&in_use));
    drop(alone);
    // Rejected before it creates tables, which a move does not accept.
    let early = nodes.run("early", &["serve", "--listen", "127.0.0.1:0"]);
    assert!(!early.status.success() && text(&early).contains("prepared for a move"), "{}", text(&early));
    let new = packs_of(&nodes, "alone") - prepared;
    let moved = succeed(move_with(&nodes, "alone", &[]));
    let expected = format!("copied {new} packs of 1 repositories to {url}, and {prepared} were prepared");
    assert!(new > 0 && moved.contains(&expected), "{expected}: {moved}");
    let (a, b) = (nodes.start("a"), nodes.start("b"));
    assert_eq!([responses(&a), responses(&b)], [before.clone(), before]);
    git(&clone(&b, &nodes.of("copy")), &["fsck", "--strict"]);
    for command in ["check", "verify"] {
        succeed(nodes.run("a", &[command]));
    }
}

#[test]
fn unchanged_repository_is_not_read_back_again() {
    let Some(nodes) = Nodes::new() else { return };
    let alone = serve_alone(&nodes, "alone", &[]);
    fill(&alone, &nodes);
    succeed(prepare(&nodes, "alone"));
    drop(alone);
    let moved = succeed(move_with(&nodes, "alone", &[]));
    for part in ["copied 0 packs", "1 repositories were read back when they were prepared", "moved"] {
        assert!(moved.contains(part), "{part}: {moved}");
    }
    succeed(nodes.run("a", &["verify"]));
    git(&clone(&nodes.start("a"), &nodes.of("copy")), &["fsck", "--strict"]);
}

/// The server may join packs between the preparation and the move.
#[test]
fn replaced_packs_are_copied_again() {
    let Some(nodes) = Nodes::new() else { return };
    let alone = serve_alone(&nodes, "alone", &[]);
    fill(&alone, &nodes);
    succeed(prepare(&nodes, "alone"));
    let before = responses(&alone);
    drop(alone);
    git(
        &nodes.of("alone").join("data/repositories/01/1.git"),
        &["repack", "-a", "-d", "--quiet", "--keep-unreachable"],
    );
    let moved = succeed(move_with(&nodes, "alone", &[]));
    assert!(moved.contains("copied 1 packs") && moved.contains("and 0 were prepared"), "{moved}");
    assert_eq!(responses(&nodes.start("a")), before);
}

#[test]
fn storage_of_a_database_cannot_be_prepared() {
    let Some(nodes) = Nodes::new() else { return };
    drop(nodes.start("a"));
    drop(serve_alone(&nodes, "alone", &[]));
    let rejected = prepare(&nodes, "alone");
    assert!(!rejected.status.success() && text(&rejected).contains("belongs to a database"), "{}", text(&rejected));
    let nothing = prepare(&nodes, "nothing");
    assert!(!nothing.status.success() && text(&nothing).contains("there is no store in"), "{}", text(&nothing));
}
