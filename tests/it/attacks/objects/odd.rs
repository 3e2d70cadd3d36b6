//! Unusual shapes: deep and wide trees, thousands of parents, long histories, huge messages.

use std::fmt::Write as _;

use super::{Clone, file, get, get_all, json, open_pull, victim_without_time_limits};

/// More entries than the limit of a listing or a diff, and more levels than the limit of a walk.
const WIDTH: usize = 110_000;
const DEPTH: usize = 1_100;
/// More commits than a walk reads one by one.
const HISTORY: usize = 10_500;

/// Nested directories with long names. One process creates them all.
fn deep_tree(clone: &Clone) -> String {
    let path = format!("{}/", "x".repeat(200)).repeat(DEPTH);
    let stream = format!(
        "commit refs/deep\ncommitter m <m@x> 1700000000 +0000\ndata 1\nx\nM 100644 inline {path}file\ndata 2\nx\n\n"
    );
    clone.feed(&["fast-import", "--quiet"], stream.as_bytes());
    clone.git(&["rev-parse", "refs/deep^{tree}"])
}

#[test]
fn wide_and_deep_trees_are_served() {
    let victim = victim_without_time_limits();
    let clone = Clone::of(&victim);
    let bystander = victim.bystander();
    let blob = file(&clone.blob(b"x\n"));
    let wide = clone.tree((0..WIDTH).map(|number| (format!("{number:06}"), blob.clone())));
    let deep = deep_tree(&clone);
    let mut paths = Vec::new();
    for (tree, branch) in [(&wide, "wide"), (&deep, "deep")] {
        let commit = clone.commit(tree, &["refs/heads/main"]);
        clone.push(&victim, &commit, branch);
        let listed = get(&victim, &format!("/repos/mallory/target/git/trees/{tree}?recursive=1"));
        assert_eq!((listed.status(), json(&listed)["truncated"].as_bool()), (200, Some(true)), "{branch}");
        paths.push(format!("/repos/mallory/target/commits/{commit}"));
        paths.push(format!("/repos/mallory/target/git/trees/{tree}?recursive=1"));
        paths.push(format!("/repos/mallory/target/git/trees/{tree}"));
    }
    let paths: Vec<String> = paths.iter().cycle().take(18).cloned().collect();
    get_all(&victim, &paths, &[200, 422, 503]);
    bystander.assert_served();
    victim.assert_unharmed();
}

#[test]
fn ten_thousand_parents_and_long_history_are_served() {
    let victim = victim_without_time_limits();
    let clone = Clone::of(&victim);
    let bystander = victim.bystander();
    let mut stream = String::new();
    for number in 0..HISTORY {
        let from = if number == 0 { "from refs/heads/main^0\n" } else { "" };
        let date = 1_700_000_000 + number;
        let _ = write!(stream, "commit refs/heads/one\ncommitter m <m@x> {date} +0000\ndata 1\nx\n{from}");
    }
    clone.feed(&["fast-import", "--quiet", "--force"], stream.as_bytes());
    clone.push(&victim, "refs/heads/one", "one");
    let pull = open_pull(&victim, "one");
    let parents: Vec<String> =
        String::from_utf8(crate::attacks::support::git(clone.path(), &["rev-list", "-10000", "refs/heads/one"]).stdout)
            .expect("names")
            .lines()
            .map(str::to_owned)
            .collect();
    let tree = clone.git(&["rev-parse", "refs/heads/main^{tree}"]);
    let mut octopus = format!("tree {tree}\n");
    parents.iter().for_each(|parent| octopus.push_str(&format!("parent {parent}\n")));
    octopus.push_str("author m <m@x> 1700000000 +0000\ncommitter m <m@x> 1700000000 +0000\n\nmany\n");
    let octopus = clone.feed(&["hash-object", "-t", "commit", "-w", "--stdin"], octopus.as_bytes());
    clone.push(&victim, &octopus, "octopus");
    let commit = format!("/repos/mallory/target/commits/{octopus}");
    assert_eq!(json(&get(&victim, &commit))["parents"].as_array().map(Vec::len), Some(10_000));
    let many = open_pull(&victim, "octopus");
    let paths = [commit, pull.clone(), format!("{pull}/commits"), format!("{pull}/files"), format!("{many}/commits")];
    let paths: Vec<String> = paths.iter().cycle().take(20).cloned().collect();
    get_all(&victim, &paths, &[200, 503]);
    bystander.assert_served();
    victim.assert_unharmed();
}

#[test]
fn oversized_commit_messages_are_rejected_when_read() {
    let victim = victim_without_time_limits();
    let clone = Clone::of(&victim);
    let bystander = victim.bystander();
    let tree = clone.git(&["rev-parse", "refs/heads/main^{tree}"]);
    let main = clone.git(&["rev-parse", "refs/heads/main"]);
    let people = "author m <m@x> 1700000000 +0000\ncommitter m <m@x> 1700000000 +0000";
    let mut paths = Vec::new();
    for (megabytes, status) in [(3, 200), (40, 422)] {
        let text = "word ".repeat(megabytes << 20).split_off((4 * megabytes) << 20);
        let commit = format!("tree {tree}\nparent {main}\n{people}\n\n{text}\n");
        let commit = clone.feed(&["hash-object", "-t", "commit", "-w", "--stdin"], commit.as_bytes());
        clone.push(&victim, &commit, &format!("book-{megabytes}"));
        let tag = format!("object {main}\ntype commit\ntag v{megabytes}\ntagger m <m@x> 1700000000 +0000\n\n{text}\n");
        let tag = clone.feed(&["hash-object", "-t", "tag", "-w", "--stdin"], tag.as_bytes());
        let refspec = format!("{tag}:refs/tags/v{megabytes}");
        assert!(
            crate::attacks::support::git(clone.path(), &["push", "-q", &victim.push_url(), &refspec]).status.success()
        );
        for path in [
            format!("/repos/mallory/target/git/commits/{commit}"),
            format!("/repos/mallory/target/commits/{commit}"),
            format!("/repos/mallory/target/git/tags/{tag}"),
        ] {
            assert_eq!(get(&victim, &path).status(), status, "{path}");
            paths.push(path);
        }
    }
    let paths: Vec<String> = paths.iter().cycle().take(64).cloned().collect();
    get_all(&victim, &paths, &[200, 422, 503]);
    bystander.assert_served();
    victim.assert_unharmed();
}
