//! What is read to place a comment: its own file, however many others there are.

use super::repo::{Opened, TestRepo};
use crate::diff::{Anchor, Comparisons, FileChange, FileDiff, FileMode, Reanchored, Side, Subject, changes, reanchor};
use plinth_base::ids::{RepoId, Sha};

/// Folders with a file each; more than any look at one file reads.
const FOLDERS: usize = 60;
/// Two commits for each of two versions, with their trees, and the blobs of one file.
const READS_MAX: usize = 40;

fn write_all(repo: &TestRepo, content: &str) {
    for folder in 0..FOLDERS {
        repo.write(&format!("{folder}/file"), format!("{folder}\n{content}\n"));
    }
}

fn anchor(base: Sha, head: Sha, path: &str) -> Anchor {
    let path = Some(path.as_bytes().to_vec());
    let subject = Subject::Line { side: Side::Right, line: 2, start: None };
    Anchor { base, head, old_path: path.clone(), new_path: path, subject }
}

fn place(repo: &Opened, comparisons: &Comparisons, base: Sha, head: Sha, anchor: Anchor) -> (Reanchored, usize) {
    repo.reads.set(0);
    let target = comparisons.between(RepoId(1), repo, base, head);
    let placed = reanchor(repo, &target, &[anchor]).expect("a readable repository").remove(0);
    (placed, repo.reads.get())
}

#[test]
fn a_comment_on_a_file_that_stays_is_placed_without_looking_at_the_others() {
    let repo = TestRepo::new();
    write_all(&repo, "old");
    let base = repo.commit();
    write_all(&repo, "new");
    let commented = repo.commit();
    let head = repo.write("7/file", "above\n7\nnew\n").commit();
    let (placed, reads) = place(&repo.open(), &Comparisons::default(), base, head, anchor(base, commented, "7/file"));
    assert!(matches!(placed, Reanchored::Current { line: 3, .. }), "{placed:?}");
    assert!(reads <= READS_MAX, "{reads} objects were read");
}

#[test]
fn for_a_file_that_is_new_all_are_compared_once() {
    let repo = TestRepo::new();
    write_all(&repo, "old");
    let base = repo.commit();
    write_all(&repo, "new");
    let head = repo.write("new", "1\n2\n").commit();
    let (opened, comparisons) = (repo.open(), Comparisons::default());
    let first = place(&opened, &comparisons, base, head, anchor(base, head, "new"));
    assert!(matches!(first.0, Reanchored::Current { line: 2, .. }), "{:?}", first.0);
    assert!(first.1 > FOLDERS, "only the others can tell that it was not moved");
    let again = place(&opened, &comparisons, base, head, anchor(base, head, "new"));
    assert_eq!(again.0, first.0);
    assert!(again.1 <= READS_MAX, "{} objects were read", again.1);
}

#[test]
fn files_that_are_asked_for_often_are_compared_all_at_once() {
    let repo = TestRepo::new();
    write_all(&repo, "old");
    let base = repo.commit();
    write_all(&repo, "new");
    let head = repo.commit();
    let (opened, comparisons) = (repo.open(), Comparisons::default());
    let reads: Vec<usize> = (0..3 * FOLDERS)
        .map(|index| {
            let path = format!("{}/file", index % FOLDERS);
            let (placed, reads) = place(&opened, &comparisons, base, head, anchor(base, head, &path));
            assert!(matches!(placed, Reanchored::Current { line: 2, .. }), "{placed:?}");
            reads
        })
        .collect();
    let (first, last) = (reads.first().copied(), reads.last().copied());
    assert!(last < first, "each lookup goes on reading the folders: {first:?}, then {last:?}");
    assert_eq!(reads.iter().filter(|reads| **reads > FOLDERS).count(), 1, "all are compared once: {reads:?}");
}

#[test]
fn a_file_is_compared_once_for_each_repository() {
    let repo = TestRepo::new();
    let base = repo.write("file", "old\n").commit();
    let head = repo.write("file", "new\n").commit();
    let (opened, comparisons) = (repo.open(), Comparisons::default());
    let change = changes(&opened, &base, &head).expect("a readable repository").remove(0);
    let compare = |repo: i64| {
        opened.reads.set(0);
        let diff = comparisons.diff(RepoId(repo), &opened, &change).expect("a readable repository");
        assert_eq!(*diff, FileDiff::between(b"old\n", b"new\n"));
        opened.reads.get()
    };
    assert_eq!([compare(1), compare(1)], [2, 0]);
    assert_eq!(compare(2), 2, "what one repository has is never shown through another");
}

#[test]
fn a_file_that_becomes_a_link_is_not_taken_for_one_that_changed() {
    let repo = TestRepo::new();
    let base = repo.write("file", "old").commit();
    let head = repo.write("file", "new").commit();
    let (opened, comparisons) = (repo.open(), Comparisons::default());
    let mut change = changes(&opened, &base, &head).expect("a readable repository").remove(0);
    let diff = |change: &FileChange| comparisons.diff(RepoId(1), &opened, change).expect("a readable repository");
    let changed = diff(&change);
    change.new.as_mut().expect("it is still there").mode = FileMode::Symlink;
    let replaced = diff(&change);
    assert_eq!(*replaced, FileDiff::of(&opened, &change).expect("a readable repository"));
    assert_ne!(replaced, changed);
}
