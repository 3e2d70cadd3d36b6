//! Texts that are small in a pack and large in memory.

use super::{Clone, file, get, get_all, json, open_pull, victim_without_time_limits};
use crate::attacks::support::Victim;

/// A text of that many bytes, in lines that differ from each other.
fn text(bytes: usize, seed: u32) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes + 128);
    let mut number = 0_u64;
    while text.len() < bytes {
        text.extend_from_slice(format!("{seed} {number:0>100}\n").as_bytes());
        number += 1;
    }
    text.truncate(bytes);
    text
}

/// A commit with many entries of one text.
fn push_copies(victim: &Victim, bytes: usize, copies: usize, branch: &str) -> String {
    let clone = Clone::of(victim);
    let blob = file(&clone.blob(&text(bytes, 1)));
    let tree = clone.tree((0..copies).map(|number| (format!("{number:03}"), blob.clone())));
    let commit = clone.commit(&tree, &["refs/heads/main"]);
    clone.push(victim, &commit, branch);
    commit
}

#[test]
fn many_entries_of_large_blob_are_listed_without_patches() {
    let victim = victim_without_time_limits();
    let bystander = victim.bystander();
    for (bytes, copies, branch) in [(7 << 20, 300, "many"), (60 << 20, 9, "large")] {
        let commit = push_copies(&victim, bytes, copies, branch);
        let shown = get(&victim, &format!("/repos/mallory/target/commits/{commit}"));
        assert_eq!(shown.status(), 200, "{}", shown.0);
        let files = json(&shown)["files"].as_array().expect("a list").clone();
        assert!(
            files.len() >= copies.min(300)
                && files.iter().all(|file| file["filename"] == "a.txt" || file["patch"].is_null())
        );
        let pull = open_pull(&victim, branch);
        assert_eq!(get(&victim, &format!("{pull}/files?per_page=100")).status(), 200);
        // A blob is not loaded only to find that it is no commit.
        let blob = files.iter().find(|file| file["filename"] == "000").expect("the first copy")["sha"].clone();
        let blob = blob.as_str().expect("a name");
        assert_eq!(get(&victim, &format!("/repos/mallory/target/git/commits/{blob}")).status(), 404);
        victim.assert_unharmed();
    }
    bystander.assert_served();
    victim.assert_unharmed();
}

#[test]
fn concurrent_reads_of_large_blobs_stay_within_memory_limit() {
    let victim = Victim::start(&[]);
    let clone = Clone::of(&victim);
    let bystander = victim.bystander();
    let mut paths = Vec::new();
    for number in 0..8 {
        let blob = clone.blob(&text(6 << 20, number));
        let tree = clone.tree([("large".to_owned(), file(&blob))]);
        let commit = clone.commit(&tree, &["refs/heads/main"]);
        clone.push(&victim, &commit, &format!("large-{number}"));
        paths.push(format!("/repos/mallory/target/commits/{commit}"));
        paths.push(format!("/repos/mallory/target/git/blobs/{blob}"));
    }
    let paths: Vec<String> = paths.iter().cycle().take(64).cloned().collect();
    get_all(&victim, &paths, &[200, 422, 503]);
    bystander.assert_served();
    victim.assert_unharmed();
}
