//! Files that are all similar, so that every pair must be compared.

use super::{Clone, file, get, get_all, victim_without_time_limits};
use crate::attacks::support::Victim;

/// Lines that all files share, and a unique one.
fn similar(lines: usize, seed: usize) -> Vec<u8> {
    let mut text: String = (0..lines).map(|line| format!("shared line number {line}\n")).collect();
    text.push_str(&format!("own line {seed}\n"));
    text.into_bytes()
}

/// Writes all contents and returns their ids.
fn blobs(clone: &Clone, contents: impl Iterator<Item = Vec<u8>>) -> Vec<String> {
    let mut stream = Vec::new();
    let mut count = 0;
    for (number, content) in contents.enumerate() {
        stream.extend_from_slice(format!("blob\nmark :{}\ndata {}\n", number + 1, content.len()).as_bytes());
        stream.extend_from_slice(&content);
        stream.push(b'\n');
        count += 1;
    }
    let marks = clone.path().join("marks");
    let export = format!("--export-marks={}", marks.display());
    clone.feed(&["fast-import", "--quiet", &export], &stream);
    let marks = std::fs::read_to_string(marks).expect("marks");
    let mut named: Vec<(usize, String)> = marks
        .lines()
        .filter_map(|line| line.strip_prefix(':')?.split_once(' '))
        .map(|(mark, name)| (mark.parse().expect("a number"), name.to_owned()))
        .collect();
    named.sort_unstable();
    assert_eq!(named.len(), count);
    named.into_iter().map(|(_, name)| name).collect()
}

/// A commit that removes `count` files and adds as many similar ones.
fn push_renames(victim: &Victim, clone: &Clone, (count, lines): (usize, usize), seed: usize) -> String {
    let all = blobs(clone, (0..2 * count).map(|number| similar(lines, seed * 10_000 + number)));
    let tree = |side: &str, names: &[String]| {
        clone.tree(names.iter().enumerate().map(|(number, blob)| (format!("{side}-{number:05}"), file(blob))))
    };
    let old = clone.commit(&tree("old", &all[..count]), &["refs/heads/main"]);
    let new = clone.commit(&tree("new", &all[count..]), &[&old]);
    clone.push(victim, &new, &format!("renames-{seed}"));
    new
}

#[test]
fn rename_bomb_is_served_without_renames() {
    let victim = victim_without_time_limits();
    let clone = Clone::of(&victim);
    let bystander = victim.bystander();
    let commit = push_renames(&victim, &clone, (1_000, 600), 1);
    assert_eq!(get(&victim, &format!("/repos/mallory/target/commits/{commit}")).status(), 200);
    bystander.assert_served();
    victim.assert_unharmed();
}

#[test]
fn concurrent_rename_bombs_do_not_starve_other_repositories() {
    let victim = Victim::start(&[]);
    let clone = Clone::of(&victim);
    let commits: Vec<String> = (0..4).map(|seed| push_renames(&victim, &clone, (150, 2_000), seed)).collect();
    let bystander = victim.bystander();
    let paths: Vec<String> =
        (0..64).map(|number| format!("/repos/mallory/target/commits/{}", commits[number % 4])).collect();
    get_all(&victim, &paths, &[200, 503]);
    bystander.assert_served();
    victim.assert_unharmed();
}
