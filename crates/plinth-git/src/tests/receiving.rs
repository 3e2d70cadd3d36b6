//! Pushed packs are accepted only if they are complete.

use std::fs;
use std::io::Cursor;
use std::process::Command;

use super::support::{Fixture, git};
use crate::{NoObjects, PackLimits, Quarantine, RawObject};
use plinth_base::error::Error;
use plinth_base::ids::{ObjectKind, Sha};

const NOTHING: &[RawObject] = &[];

/// A client's repository, with `count` commits that each change one file.
pub(super) fn pusher(count: usize) -> (Fixture, Vec<Sha>) {
    let fixture = Fixture::empty();
    let text: String = (0..400).map(|line| format!("line {line}\n")).collect();
    let mut stream = String::new();
    for mark in 1..=count {
        let content = format!("{mark}\n{text}");
        stream.push_str(&format!(
            "commit refs/heads/x\nmark :{mark}\ncommitter A <a@example.com> {mark} +0000\ndata 1\nx\n{}M 100644 inline file\ndata {}\n{content}\n\n",
            if mark > 1 { format!("from :{}\n", mark - 1) } else { String::new() },
            content.len(),
        ));
    }
    let ids = fixture.fast_import(&stream);
    (fixture, ids)
}

pub(super) fn pack_of(fixture: &Fixture, revisions: &str, arguments: &[&str]) -> Vec<u8> {
    let file = fixture.data.path().join("pushed.pack");
    let output = fs::File::create(&file).expect("a file");
    let mut child = Command::new("git")
        .arg("--git-dir")
        .arg(&fixture.repository.directory)
        .args(["pack-objects", "--revs", "--stdout", "--quiet"])
        .args(arguments)
        .stdin(std::process::Stdio::piped())
        .stdout(output)
        .spawn()
        .expect("git starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), revisions.as_bytes()).expect("fed");
    assert!(child.wait().expect("it ends").success());
    fs::read(file).expect("a pack")
}

pub(super) fn receive(fixture: &Fixture, pack: &[u8], limits: PackLimits) -> plinth_base::error::Result<Quarantine> {
    fixture.repository.receive(&mut Cursor::new(pack), NOTHING, limits)
}

pub(super) fn assert_untouched(fixture: &Fixture) {
    for directory in [fixture.repository.pack_directory(), fixture.repository.quarantine_directory()] {
        assert_eq!(fs::read_dir(&directory).expect("a directory").count(), 0, "{directory:?}");
    }
}

#[test]
fn full_and_thin_packs_are_accepted() {
    let (pusher, ids) = pusher(3);
    let fixture = Fixture::empty();
    let quarantine = receive(&fixture, &pack_of(&pusher, &format!("{}\n", ids[0]), &[]), PackLimits::default())
        .expect("a good pack");
    quarantine.check_connected(&[ids[0]], &[]).expect("complete");
    // Until it is accepted, only the quarantine sees it.
    let reader = fixture.repository.reader(&quarantine);
    assert_eq!(reader.kind_of(&ids[0]).expect("readable"), Some(ObjectKind::Commit));
    assert_eq!(fixture.repository.reader(&NoObjects).kind_of(&ids[0]).expect("readable"), None);
    quarantine.accept().expect("accepted").expect("a pack");

    let thin = pack_of(&pusher, &format!("{}\n^{}\n", ids[2], ids[0]), &["--thin"]);
    let quarantine = receive(&fixture, &thin, PackLimits::default()).expect("a good pack");
    quarantine.check_connected(&[ids[2]], &[ids[0], Sha::from_bytes([9; 20])]).expect("complete");
    assert!(fixture.repository.reader(&quarantine).is_ancestor(&ids[0], &ids[2]).expect("walkable"));
    quarantine.accept().expect("accepted");
    fixture.check();
    assert_eq!(fixture.git(&["rev-list", "--count", &ids[2].to_string()]), "3");
    assert_eq!(fs::read_dir(fixture.repository.quarantine_directory()).expect("a directory").count(), 0);
}

#[test]
fn pack_may_depend_on_overlay_objects() {
    let (pusher, ids) = pusher(2);
    let reader = pusher.repository.reader(&NoObjects);
    let overlay: Vec<RawObject> = pusher
        .git(&["rev-list", "--objects", &ids[0].to_string()])
        .lines()
        .map(|line| {
            let sha = line[..40].parse().expect("an id");
            RawObject::clone(&crate::ObjectSource::find(&reader, &sha).expect("readable").expect("present"))
        })
        .collect();
    let fixture = Fixture::empty();
    let thin = pack_of(&pusher, &format!("{}\n^{}\n", ids[1], ids[0]), &["--thin"]);
    assert!(receive(&fixture, &thin, PackLimits::default()).is_err());
    let quarantine =
        fixture.repository.receive(&mut thin.as_slice(), &overlay, PackLimits::default()).expect("a good pack");
    quarantine.check_connected(&[ids[1]], &[ids[0]]).expect("complete");
    quarantine.accept().expect("accepted");
    fixture.repository.store(&overlay).expect("stored");
    fixture.check();
}

#[test]
fn empty_pack_leaves_no_file() {
    let (pusher, ids) = pusher(1);
    let empty = pack_of(&pusher, &format!("{0}\n^{0}\n", ids[0]), &[]);
    let fixture = Fixture::empty();
    let quarantine = receive(&fixture, &empty, PackLimits::default()).expect("a good pack");
    assert_eq!(quarantine.accept().expect("accepted"), None);
    assert_untouched(&fixture);
}

#[test]
fn incomplete_history_is_rejected() {
    let (pusher, ids) = pusher(3);
    let fixture = Fixture::empty();
    let whole = pack_of(&pusher, &format!("{}\n", ids[0]), &[]);
    receive(&fixture, &whole, PackLimits::default()).expect("a good pack").accept().expect("accepted");
    let blob_id = pusher.git(&["rev-parse", &format!("{}:file", ids[2])]);
    let without_blob = {
        let listed = format!("{}\n{}\n", ids[2], pusher.git(&["rev-parse", &format!("{}^{{tree}}", ids[2])]));
        let path = pusher.data.path().join("hole");
        git(&pusher.repository.directory, &["pack-objects", "--quiet", &path.to_string_lossy()], listed.as_bytes());
        let pack = fs::read_dir(pusher.data.path()).expect("a directory").flatten().map(|entry| entry.path());
        let is_pack = |path: &std::path::PathBuf| {
            path.to_string_lossy().contains("/hole-") && path.extension().is_some_and(|extension| extension == "pack")
        };
        fs::read(pack.into_iter().find(is_pack).expect("a pack")).expect("readable")
    };
    let outcome = match receive(&fixture, &without_blob, PackLimits::default()) {
        Ok(quarantine) => quarantine.check_connected(&[ids[2]], &[ids[0]]),
        Err(error) => Err(error),
    };
    assert!(matches!(outcome, Err(Error::Unprocessable(_))), "{outcome:?} without {blob_id}");
    let quarantine = receive(&fixture, &whole, PackLimits::default()).expect("a good pack");
    assert!(matches!(quarantine.check_connected(&[ids[1]], &[ids[0]]), Err(Error::Unprocessable(_))));
}
