//! Imports and maintenance.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::support::{Fixture, commits_stream, git, seconds, try_git};
use crate::{NoObjects, PackLimits, RawObject};
use plinth_base::error::Error;
use plinth_base::ids::Sha;

/// A repository in another directory, with branches, both kinds of tags and a note.
fn source() -> (tempfile::TempDir, std::path::PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("a: repository");
    git(&path, &["init", "--quiet", "--bare", "--initial-branch=main", &path.to_string_lossy()], b"");
    let stream = format!(
        "{}reset refs/heads/main\nfrom :3\n\nreset refs/heads/side\nfrom :2\n\nreset refs/tags/light\nfrom :1\n\n\
         tag v1\nfrom :3\ntagger A <a@example.com> 1 +0000\ndata 3\nv1\n\n",
        commits_stream(&[vec![], vec![1], vec![1, 2]], seconds)
    );
    git(&path, &["fast-import", "--quiet", "--force"], stream.as_bytes());
    git(&path, &["update-ref", "-d", "refs/heads/x"], b"");
    (directory, path)
}

#[test]
fn import_copies_all_refs_and_objects() {
    let (_directory, path) = source();
    let fixture = Fixture::empty();
    let mut bytes = 0;
    let imported =
        fixture.repository.import(&path, PackLimits::default(), &mut |count| bytes = count).expect("imported");
    let listed: Vec<String> = imported.refs.iter().map(|(name, sha)| format!("{sha} {name}")).collect();
    assert_eq!(listed.join("\n"), git(&path, &["for-each-ref", "--format=%(objectname) %(refname)"], b""));
    assert_eq!(imported.default_branch.expect("a branch").as_str(), "refs/heads/main");
    assert!(bytes > 100);
    fixture.check();
    let objects = "--batch-check=%(objectname)";
    let ours = fixture.git(&["cat-file", "--batch-all-objects", objects]);
    assert_eq!(ours, git(&path, &["cat-file", "--batch-all-objects", objects], b""));
}

#[test]
fn failed_import_leaves_no_trace() {
    let (directory, path) = source();
    let fixture = Fixture::empty();
    let import = |path: &std::path::Path| {
        fixture.repository.import(path, PackLimits::default(), &mut |_| {}).expect_err("it fails")
    };
    assert!(matches!(import(&directory.path().join("absent")), Error::Unprocessable(_)));
    assert!(matches!(import(directory.path()), Error::Unprocessable(_)));
    let main = git(&path, &["rev-parse", "main"], b"");
    git(&path, &["update-ref", "refs/heads/-dash", &main], b"");
    assert!(matches!(import(&path), Error::Unprocessable(_)));
    git(&path, &["update-ref", "-d", "refs/heads/-dash"], b"");
    // The history is incomplete now.
    let parent = git(&path, &["rev-parse", "main^"], b"");
    fs::remove_file(path.join("objects").join(&parent[..2]).join(&parent[2..])).expect("a loose object");
    assert!(matches!(import(&path), Error::Unprocessable(_)));
    for directory in [fixture.repository.pack_directory(), fixture.repository.quarantine_directory()] {
        assert_eq!(fs::read_dir(directory).expect("a directory").count(), 0);
    }
}

fn fixture_with_packs(count: u8) -> (Fixture, Vec<Sha>) {
    let fixture = Fixture::empty();
    let parents: Vec<Vec<usize>> = (0..3).map(|index| if index == 0 { vec![] } else { vec![index] }).collect();
    let ids = fixture.fast_import(&commits_stream(&parents, seconds));
    for number in 0..count {
        fixture.repository.store(&[RawObject::blob(vec![number; 40]).expect("a blob")]).expect("stored");
    }
    (fixture, ids)
}

#[test]
fn combining_small_packs_keeps_all_objects() {
    let (fixture, ids) = fixture_with_packs(5);
    let objects = |fixture: &Fixture| fixture.git(&["cat-file", "--batch-all-objects", "--batch-check"]);
    let before = objects(&fixture);
    assert_eq!(fixture.repository.pack_count().expect("counted"), 6);
    let superseded = fixture.repository.combine_small_packs().expect("combined");
    assert!(fixture.repository.remove(&superseded, &ids).expect("removed"));
    assert_eq!((fixture.repository.pack_count().expect("counted"), objects(&fixture)), (1, before));
    assert!(fixture.repository.combine_small_packs().expect("nothing to do").is_empty());
    fixture.check();
}

#[test]
fn readers_find_all_objects_during_maintenance() {
    let (fixture, ids) = fixture_with_packs(3);
    let is_over = AtomicBool::new(false);
    let read_all = |known: &Mutex<Vec<Sha>>| {
        let mut rounds = 0;
        while rounds == 0 || !is_over.load(Ordering::Relaxed) {
            let known = known.lock().clone();
            for sha in known.iter().rev().take(50) {
                let reader = fixture.repository.reader(&NoObjects);
                assert!(reader.kind_of(sha).expect("readable").is_some(), "{sha} is missing");
            }
            rounds += 1;
        }
    };
    let known = Mutex::new(ids.clone());
    std::thread::scope(|scope| {
        (0..3).for_each(|_| {
            scope.spawn(|| read_all(&known));
        });
        for number in 0..60u32 {
            let blob = RawObject::blob(number.to_be_bytes().repeat(30_000)).expect("a blob");
            fixture.repository.store(std::slice::from_ref(&blob)).expect("stored");
            known.lock().push(blob.sha());
            if number % 10 == 9 {
                let superseded = fixture.repository.combine_small_packs().expect("combined");
                assert!(fixture.repository.remove(&superseded, &ids).expect("removed"));
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(fixture.repository.pack_count().expect("counted"), 1);
}

#[test]
fn unreachable_objects_are_removed_after_grace_period() {
    let (fixture, ids) = fixture_with_packs(2);
    let blob_id = RawObject::blob([0; 40]).expect("a blob").sha();
    let reader = fixture.repository.reader(&NoObjects);
    let has_blob = || {
        let kind = reader.kind_of(&blob_id).expect("readable");
        // Read it, so that it is cached when it is removed.
        assert_eq!(reader.find_blob(&blob_id, 40).expect("readable").is_some(), kind.is_some());
        kind.is_some()
    };
    assert!(fixture.repository.repack(&ids[2..], Duration::from_secs(3_600)).expect("all is young").is_empty());
    assert!(has_blob());
    let superseded = fixture.repository.repack(&ids[2..], Duration::ZERO).expect("repacked");
    // The blob got a ref in the meantime: nothing may be removed.
    assert!(!fixture.repository.remove(&superseded, &[ids[2], blob_id]).expect("checked"));
    assert!(has_blob());
    assert!(fixture.repository.remove(&superseded, &ids[2..]).expect("removed"));
    assert_eq!(fixture.repository.pack_count().expect("counted"), 1);
    assert!(!has_blob(), "a removed object must not be found any more");
    let (is_there, ..) = try_git(&fixture.repository.directory, &["cat-file", "-e", &blob_id.to_string()], b"");
    assert!(!is_there);
    assert_eq!(fixture.git(&["rev-list", "--count", &ids[2].to_string()]), "3");
    assert_eq!(fs::read_dir(fixture.repository.quarantine_directory()).expect("a directory").count(), 0);
}
