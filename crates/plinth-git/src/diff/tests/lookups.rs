//! How many objects a re-anchoring reads.

use super::repo::{Opened, TestRepo};
use crate::diff::{Anchor, Comparisons, FileChange, FileDiff, FileMode, Reanchored, Side, Subject, changes, reanchor};
use plinth_base::ids::{RepoId, Sha};

/// Directories with a file each; more than a lookup of one file reads.
const DIRECTORIES: usize = 60;
/// Two commits for each of two versions, with their trees, and the blobs of one file.
const READS_MAX: usize = 40;

fn write_all(repo: &TestRepo, content: &str) {
    for directory in 0..DIRECTORIES {
        repo.write(&format!("{directory}/file"), format!("{directory}\n{content}\n"));
    }
}

fn anchor(base: Sha, head: Sha, path: &str) -> Anchor {
    let path = Some(path.as_bytes().to_vec());
    let subject = Subject::Line { side: Side::Right, line: 2, start: None };
    Anchor { base, head, old_path: path.clone(), new_path: path, subject }
}

fn count_reads(repo: &Opened, comparisons: &Comparisons, base: Sha, head: Sha, anchor: Anchor) -> (Reanchored, usize) {
    repo.reads.set(0);
    let target = comparisons.between(RepoId(1), repo, base, head);
    let reanchored = reanchor(repo, &target, &[anchor]).expect("a readable repository").remove(0);
    (reanchored, repo.reads.get())
}

#[test]
fn reanchor_reads_only_the_commented_file() {
    let repo = TestRepo::new();
    write_all(&repo, "old");
    let base = repo.commit();
    write_all(&repo, "new");
    let commented = repo.commit();
    let head = repo.write("7/file", "above\n7\nnew\n").commit();
    let (reanchored, reads) =
        count_reads(&repo.open(), &Comparisons::default(), base, head, anchor(base, commented, "7/file"));
    assert!(matches!(reanchored, Reanchored::Current { line: 3, .. }), "{reanchored:?}");
    assert!(reads <= READS_MAX, "{reads} objects were read");
}

#[test]
fn reanchor_on_new_file_compares_all_files_once() {
    let repo = TestRepo::new();
    write_all(&repo, "old");
    let base = repo.commit();
    write_all(&repo, "new");
    let head = repo.write("new", "1\n2\n").commit();
    let (opened, comparisons) = (repo.open(), Comparisons::default());
    let first = count_reads(&opened, &comparisons, base, head, anchor(base, head, "new"));
    assert!(matches!(first.0, Reanchored::Current { line: 2, .. }), "{:?}", first.0);
    assert!(first.1 > DIRECTORIES, "all files are compared to exclude a rename");
    let again = count_reads(&opened, &comparisons, base, head, anchor(base, head, "new"));
    assert_eq!(again.0, first.0);
    assert!(again.1 <= READS_MAX, "{} objects were read", again.1);
}

#[test]
fn frequent_lookups_compare_all_files_once() {
    let repo = TestRepo::new();
    write_all(&repo, "old");
    let base = repo.commit();
    write_all(&repo, "new");
    let head = repo.commit();
    let (opened, comparisons) = (repo.open(), Comparisons::default());
    let reads: Vec<usize> = (0..3 * DIRECTORIES)
        .map(|index| {
            let path = format!("{}/file", index % DIRECTORIES);
            let (reanchored, reads) = count_reads(&opened, &comparisons, base, head, anchor(base, head, &path));
            assert!(matches!(reanchored, Reanchored::Current { line: 2, .. }), "{reanchored:?}");
            reads
        })
        .collect();
    let (first, last) = (reads.first().copied(), reads.last().copied());
    assert!(last < first, "each lookup still reads the trees: {first:?}, then {last:?}");
    assert_eq!(reads.iter().filter(|reads| **reads > DIRECTORIES).count(), 1, "all are compared once: {reads:?}");
}

#[test]
fn diff_is_cached_per_repository() {
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
    assert_eq!(compare(2), 2, "one repository never shows the content of another");
}

#[test]
fn diff_cache_distinguishes_type_change() {
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
