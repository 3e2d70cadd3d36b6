//! Snapshots of all packs.

use std::fs;

use super::support::{Fixture, commits_stream, seconds};
use crate::{RawObject, Repositories};
use plinth_base::ids::RepoId;

fn object(text: &str) -> [RawObject; 1] {
    [RawObject::blob(text).expect("an object")]
}

#[test]
fn snapshot_links_every_pack() {
    let fixture = Fixture::empty();
    fixture.repository.store(&object("one")).expect("stored");
    let hold = fixture.repositories.hold_removals().expect("locked");
    assert!(fixture.repositories.try_removals().expect("asked").is_none(), "nothing is removed meanwhile");
    let repos = [RepoId(1), RepoId(2)];
    let snapshot = fixture.repositories.link_packs(&repos, &hold).expect("linked");
    drop(hold);
    fixture.repository.store(&object("two")).expect("stored");
    assert_eq!(snapshot.files().len(), 2, "a pack and its index, and nothing that came later: {:?}", snapshot.files());
    fixture.repositories.delete(RepoId(1)).expect("deleted");
    for file in snapshot.files() {
        assert_eq!(fs::read(&file.source).expect("it can be read").len() as u64, file.size);
        assert!(!fixture.data.path().join("repositories").join(&file.path).exists());
    }
    // The links of a running process stay; those of a killed one are removed.
    fixture.repositories.remove_leftovers().expect("removed");
    assert!(snapshot.files().iter().all(|file| file.source.exists()));
    let staging = fixture.data.path().join("repositories/staging");
    drop(snapshot);
    assert_eq!(fs::read_dir(staging).expect("a directory").count(), 0);
}

#[test]
fn deletion_waits_for_snapshot() {
    let fixture = Fixture::empty();
    fixture.repository.store(&object("one")).expect("stored");
    let directory = fixture.repository.directory.clone();
    let hold = fixture.repositories.hold_removals().expect("locked");
    fixture.repositories.delete(RepoId(1)).expect("it is marked");
    fixture.repositories.delete_marked().expect("it waits");
    assert!(directory.join("objects/pack").read_dir().expect("a directory").count() > 0, "every pack is still there");
    // If the process ends before that, the next one removes the marked repository.
    let next = Repositories::at(fixture.data.path()).expect("a data directory");
    drop(hold);
    // Another test that starts a process shares the lock with it for a moment, until the process runs its program.
    while directory.exists() {
        fixture.repositories.delete_marked().expect("removed");
    }
    next.create(RepoId(1)).expect("created");
    let hold = next.hold_removals().expect("locked");
    next.delete(RepoId(1)).expect("it is marked");
    drop(hold);
    assert!(directory.exists());
    while directory.exists() {
        Repositories::at(fixture.data.path()).expect("a data directory").remove_leftovers().expect("removed");
    }
}

#[test]
fn opening_repository_creates_missing_empty_directories() {
    let fixture = Fixture::empty();
    fixture.fast_import(&commits_stream(&[vec![]], seconds));
    let directory = fixture.repository.directory.clone();
    for part in ["refs", "quarantine", "objects/info"] {
        fs::remove_dir_all(directory.join(part)).expect("it can be removed");
    }
    let again = Repositories::at(fixture.data.path()).expect("a data directory");
    again.get(RepoId(1)).expect("it opens");
    assert!(directory.join("refs/heads").is_dir() && directory.join("quarantine").is_dir());
    assert!(fixture.git(&["rev-parse", "--git-dir"]).len() > 1, "git recognizes the repository");
}
