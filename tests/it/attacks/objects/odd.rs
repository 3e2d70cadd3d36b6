//! Shapes that nobody makes by hand: deep and wide trees, thousands of parents, endless histories, books for messages.

use std::fmt::Write as _;

use super::{Clone, directory, file, get, get_all, json, open_pull};
use crate::attacks::support::Victim;

#[test]
fn wide_and_deep_trees_are_answered() {
    let victim = Victim::start(&[]);
    let clone = Clone::of(&victim);
    let bystander = victim.bystander();
    let blob = file(&clone.blob(b"x\n"));
    let wide = clone.tree((0..200_000).map(|number| (format!("{number:06}"), blob.clone())));
    let mut deep = clone.tree([("file".to_owned(), blob.clone())]);
    for _ in 0..1_500 {
        deep = clone.tree([("x".repeat(200), directory(&deep))]);
    }
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
    let paths: Vec<String> = paths.iter().cycle().take(32).cloned().collect();
    get_all(&victim, &paths, &[200, 422, 503]);
    bystander.assert_served();
    victim.assert_unharmed();
}

#[test]
fn ten_thousand_parents_and_a_long_history_are_answered() {
    let victim = Victim::start(&[]);
    let clone = Clone::of(&victim);
    let bystander = victim.bystander();
    let mut stream = String::new();
    for branch in ["one", "other"] {
        for number in 0..15_000 {
            let from = if number == 0 { "from refs/heads/main^0\n" } else { "" };
            let _ = write!(
                stream,
                "commit refs/heads/{branch}\nmark :{}\ncommitter m <m@x> {} +0000\ndata 1\nx\n{from}",
                number + 1,
                1_700_000_000 + number
            );
        }
    }
    clone.feed(&["fast-import", "--quiet", "--force"], stream.as_bytes());
    clone.push(&victim, "refs/heads/one", "one");
    clone.push(&victim, "refs/heads/other", "other");
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
    let paths: Vec<String> = paths.iter().cycle().take(40).cloned().collect();
    get_all(&victim, &paths, &[200, 503]);
    bystander.assert_served();
    victim.assert_unharmed();
}

#[test]
fn messages_as_long_as_books_are_refused_when_they_are_read() {
    let victim = Victim::start(&[]);
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
