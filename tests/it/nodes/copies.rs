//! The disk of a server is a cache, which can be lost or damaged at any time.

use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use super::{Nodes, ROCKET, clone, commit, get, git, push, send, tip};

fn make_writable(file: &Path) {
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).expect("it is our file");
}

/// Changes bytes in the middle of a file.
fn damage(file: &Path) {
    make_writable(file);
    let mut opened = std::fs::OpenOptions::new().write(true).open(file).expect("it can be opened");
    let size = opened.metadata().expect("it exists").len();
    opened.seek(SeekFrom::Start(size / 2)).and_then(|_| opened.write_all(&[0x5a; 8])).expect("it can be written");
}

#[test]
fn server_whose_disk_is_wiped_goes_on() {
    let Some(nodes) = Nodes::new() else { return };
    let (a, b) = (nodes.start("a"), nodes.start("b"));
    let work = clone(&b, &nodes.of("work"));
    for round in 0..3 {
        std::fs::remove_dir_all(nodes.of("b").join("data")).expect("the disk can be wiped");
        let blob = send(&b, "POST", &format!("{ROCKET}/git/blobs"), &json!({ "content": format!("{round}") }));
        assert_eq!(blob.status(), 201, "{blob:?}");
        if round > 0 {
            get(&b, &format!("{ROCKET}/contents/file"));
        }
        let pushed = commit(&work, "file", &format!("round {round}"));
        std::fs::remove_dir_all(nodes.of("b").join("data")).ok();
        push(&work, &b);
        assert_eq!(tip(&a, "main"), pushed);
        let copy = clone(&b, &nodes.of(&format!("copy-{round}")));
        assert_eq!(git(&copy, &["rev-parse", "HEAD"]), pushed);
        assert_eq!(b.request("GET /readyz HTTP/1.1", "").status(), 200);
    }
}

#[test]
fn damaged_copy_is_fetched_again_and_never_served() {
    let Some(nodes) = Nodes::new() else { return };
    let b = nodes.start("b");
    let work = clone(&b, &nodes.of("work"));
    commit(&work, "large", &"content ".repeat(4_000));
    push(&work, &b);
    for (number, harm) in [damage as fn(&Path), |file| {
        make_writable(file);
        std::fs::OpenOptions::new().write(true).open(file).and_then(|file| file.set_len(40)).expect("it can be cut");
    }]
    .into_iter()
    .enumerate()
    {
        let copies = nodes.copies("b");
        assert!(!copies.is_empty());
        // Replaced, because a server that has opened the file would see it shrink.
        for copy in &copies {
            let other = copy.with_extension("other");
            std::fs::copy(copy, &other).expect("it can be copied");
            harm(&other);
            std::fs::rename(&other, copy).expect("it can be replaced");
        }
        let copy = clone(&b, &nodes.of(&format!("copy-{number}")));
        git(&copy, &["fsck", "--strict"]);
    }
    // Also by a server that finds the damage at its start.
    nodes.copies("b").iter().for_each(|copy| damage(copy));
    drop(b);
    let b = nodes.start("b");
    let file = get(&b, &format!("{ROCKET}/contents/large"));
    assert_eq!(file["size"], 32_000);
    git(&clone(&b, &nodes.of("last")), &["fsck", "--strict"]);
}

#[test]
fn damaged_pack_in_storage_is_never_served() {
    let Some(nodes) = Nodes::new() else { return };
    let a = nodes.start("a");
    let work = clone(&a, &nodes.of("work"));
    commit(&work, "large", &"content ".repeat(4_000));
    push(&work, &a);
    let intact: Vec<_> =
        nodes.storage.packs().into_iter().map(|file| (std::fs::read(&file).expect("it can be read"), file)).collect();
    for harm in [|content: &mut Vec<u8>| content[30] ^= 1, |content: &mut Vec<u8>| content.truncate(content.len() / 2)]
    {
        for (content, file) in &intact {
            let mut content = content.clone();
            harm(&mut content);
            make_writable(file);
            std::fs::write(file, content).expect("it can be written");
        }
        let b = nodes.start("b");
        assert_eq!(b.get(&format!("{ROCKET}/contents/large")).status(), 503);
        assert_eq!(b.get(&format!("{ROCKET}/git/ref/heads/main")).status(), 200, "refs are in the database");
        let failed = super::try_git(nodes.path(), &["clone", "--quiet", &super::remote(&b), "failed"]);
        assert!(!failed.status.success());
        assert!(nodes.copies("b").is_empty(), "nothing of it is left");
        for (content, file) in &intact {
            std::fs::write(file, content).expect("it can be written");
        }
        crate::support::wait::wait_until("the pack can be read", || {
            b.get(&format!("{ROCKET}/contents/large")).status() == 200
        });
        drop(b);
        std::fs::remove_dir_all(nodes.of("b")).expect("it can be removed");
    }
}
