//! Reading objects, compared with git.

use std::fs;
use std::sync::Arc;

use super::support::{Fixture, commits_stream, seconds, try_git};
use crate::{
    Date, EntryMode, Header, MemoryObjects, NoObjects, RawObject, Reader, Repositories, TreeLimits, TreeListing,
};
use plinth_base::error::Error;
use plinth_base::ids::{ObjectKind, RepoId, Sha};

const STREAM: &str = "blob\nmark :1\ndata 6\nhello\n\n\
    commit refs/heads/main\nmark :2\nauthor Mona Lisa <mona@example.com> 1700000000 +0130\n\
    committer Hubot <> 1700000060 -0800\ndata 13\nfirst\n\nbody\n\n\
    M 100644 :1 README.md\nM 100755 :1 src/run\nM 120000 :1 src/link\nM 160000 1234567890123456789012345678901234567890 vendor/lib\n\n\
    tag v1\nmark :3\nfrom :2\ntagger Mona Lisa <mona@example.com> 1700000120 +0000\ndata 8\nversion\n\n\
    tag v2\nmark :4\nfrom :3\ntagger Mona Lisa <mona@example.com> 1700000120 +0000\ndata 6\nouter\n\n";

fn list(reader: &Reader<'_>, tree_id: &Sha, entries: usize) -> TreeListing {
    let limits = TreeLimits { entries, path_bytes: 10_000, recursive: true };
    reader.list_tree(tree_id, limits).expect("readable").expect("present")
}

fn fixture() -> (Fixture, [Sha; 4]) {
    let fixture = Fixture::empty();
    let ids = fixture.fast_import(STREAM);
    (fixture, ids.try_into().expect("four marks"))
}

#[test]
fn commits_and_tags_are_parsed_completely() {
    let (fixture, [blob_id, commit_id, tag_id, outer_id]) = fixture();
    let reader = fixture.repository.reader(&NoObjects);
    let commit = reader.find_commit(&commit_id).expect("readable").expect("present");
    assert_eq!(commit.tree_id.to_string(), fixture.git(&["rev-parse", &format!("{commit_id}^{{tree}}")]));
    assert_eq!((commit.author.name.as_str(), commit.author.email.as_str()), ("Mona Lisa", "mona@example.com"));
    assert_eq!(commit.author.date, Date { seconds: 1_700_000_000, offset_minutes: 90 });
    assert_eq!((commit.committer.name.as_str(), commit.committer.email.as_str()), ("Hubot", ""));
    assert_eq!(commit.committer.date, Date { seconds: 1_700_000_060, offset_minutes: -480 });
    assert_eq!(commit.message, "first\n\nbody\n\n");
    assert_eq!(commit.signature, None);

    let tag = reader.find_tag(&tag_id).expect("readable").expect("present");
    assert_eq!((tag.name.as_str(), tag.target_id, tag.target_kind), ("v1", commit_id, ObjectKind::Commit));
    assert_eq!(tag.message, "version\n");
    assert_eq!(reader.peel(&outer_id).expect("readable"), Some((commit_id, ObjectKind::Commit)));
    assert_eq!(reader.find_commit(&blob_id).expect("readable"), None);
    assert_eq!(reader.find_tag(&commit_id).expect("readable"), None);
}

#[test]
fn tree_that_git_cannot_read_is_an_error() {
    let fixture = Fixture::empty();
    let hash = [7; 20];
    let entry = |start: &[u8]| [start, b"\0", &hash].concat();
    for (data, is_good) in [
        (entry(b"100644 a"), true),
        (entry(b" a"), false),
        (entry(b"100644 "), false),
        (entry(b"10064x a"), false),
        (entry(b"100644 a")[..20].to_vec(), false),
    ] {
        let mut objects = MemoryObjects::default();
        let name = objects.insert(RawObject::new(ObjectKind::Tree, data.clone()).expect("short"));
        let reader = fixture.repository.reader(&objects);
        let limits = TreeLimits { entries: 10, path_bytes: 100, recursive: false };
        assert_eq!(reader.list_tree(&name, limits).is_ok(), is_good, "{data:?}");
        assert_eq!(reader.find_path(&name, b"b").is_ok(), is_good, "{data:?}");
        let stored = fixture.git_with(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &data);
        let (is_listed, ..) = try_git(&fixture.repository.directory, &["ls-tree", &stored], b"");
        assert_eq!(is_listed, is_good, "{data:?}");
    }
}

#[test]
fn trees_are_listed_flat_and_recursively() {
    let (fixture, [blob_id, commit_id, ..]) = fixture();
    let reader = fixture.repository.reader(&NoObjects);
    let tree_id = reader.find_commit(&commit_id).expect("readable").expect("present").tree_id;
    let listing = list(&reader, &tree_id, 100);
    let (entries, is_truncated) = (&listing.entries, listing.is_truncated);
    let shown: Vec<String> = entries
        .iter()
        .map(|entry| {
            let path = String::from_utf8_lossy(&entry.path);
            format!("{} {} {}\t{path}", entry.mode.as_str(), entry.mode.object_kind(), entry.sha)
        })
        .collect();
    assert_eq!(shown.join("\n"), fixture.git(&["ls-tree", "-r", "-t", &tree_id.to_string()]));
    assert!(!is_truncated);
    let truncated = list(&reader, &tree_id, 3);
    assert_eq!((truncated.entries.len(), truncated.is_truncated), (3, true));

    let run = reader.find_path(&tree_id, b"src/run").expect("readable").expect("present");
    assert_eq!((run.mode, run.sha), (EntryMode::Executable, blob_id));
    for absent in [&b"src/absent"[..], b"README.md/x", b"vendor/lib/x", b""] {
        assert_eq!(reader.find_path(&tree_id, absent).expect("readable"), None);
    }
}

#[test]
fn blob_over_limit_is_rejected() {
    let (fixture, [blob_id, commit_id, ..]) = fixture();
    let reader = fixture.repository.reader(&NoObjects);
    assert_eq!(reader.find_header(&blob_id).expect("readable"), Some(Header { kind: ObjectKind::Blob, size: 6 }));
    assert_eq!(reader.find_blob(&blob_id, 6).expect("readable").expect("present").data(), b"hello\n");
    assert!(matches!(reader.find_blob(&blob_id, 5), Err(Error::Forbidden(_))));
    assert!(reader.find_blob(&commit_id, 1_000).expect("readable").is_none());
}

#[test]
fn reader_sees_added_and_removed_packs() {
    let (fixture, [_, commit_id, ..]) = fixture();
    let reader = fixture.repository.reader(&NoObjects);
    assert_eq!(reader.kind_of(&commit_id).expect("readable"), Some(ObjectKind::Commit));
    // More packs than the open store has slots for.
    let mut later = Vec::new();
    for number in 0..150 {
        later.extend(fixture.fast_import(&format!("blob\nmark :1\ndata <<END\nnumber {number}\nEND\n\n")));
    }
    for id in &later {
        assert_eq!(reader.kind_of(id).expect("readable"), Some(ObjectKind::Blob));
    }
    let names: String = later.iter().map(|id| format!("{id}\n")).collect();
    let old: Vec<_> = fs::read_dir(fixture.repository.pack_directory()).expect("a directory").flatten().collect();
    let prefix = fixture.repository.pack_directory().join("pack");
    fixture.git_with(&["pack-objects", "--quiet", &prefix.to_string_lossy()], names.as_bytes());
    old.iter().for_each(|file| fs::remove_file(file.path()).expect("removable"));
    for id in &later {
        assert!(reader.find_blob(id, 100).expect("readable").is_some());
    }
}

#[test]
fn reader_finds_overlay_objects() {
    let (fixture, [blob_id, ..]) = fixture();
    let mut overlay = MemoryObjects::default();
    let sha = overlay.insert(RawObject::blob("overlay").expect("a blob"));
    let reader = fixture.repository.reader(&overlay);
    assert_eq!(reader.kind_of(&sha).expect("readable"), Some(ObjectKind::Blob));
    assert_eq!(reader.find_blob(&sha, 100).expect("readable").expect("present").data(), b"overlay");
    assert!(reader.find_blob(&blob_id, 100).expect("readable").is_some());
    assert_eq!(fixture.repository.reader(&NoObjects).kind_of(&sha).expect("readable"), None);
}

#[test]
fn repositories_are_created_found_cleaned_and_deleted() {
    let fixture = Fixture::empty();
    let directory = fixture.repository.directory.clone();
    fixture.check();
    assert!(Arc::ptr_eq(&fixture.repository, &fixture.repositories.create(RepoId(1)).expect("created already")));
    assert!(matches!(fixture.repositories.get(RepoId(2)), Err(Error::NotFound)));
    assert!(matches!(fixture.repositories.get(RepoId(-1)), Err(Error::NotFound)));
    for stale in ["HEAD.lock", "objects/pack/tmp_pack_x", "objects/info/commit-graph.lock", "quarantine/x/pack/y"] {
        let path = directory.join(stale);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, "").expect("a stale file");
    }
    Repositories::at(fixture.data.path()).expect("a data directory").remove_leftovers().expect("removed");
    let left = fixture.git(&["count-objects", "-v"]);
    assert!(left.contains("garbage: 0"), "{left}");
    assert!(!directory.join("HEAD.lock").exists() && !directory.join("quarantine/x").exists());
    fixture.repositories.delete(RepoId(1)).expect("deleted");
    fixture.repositories.delete(RepoId(1)).expect("deleted already");
    assert!(!directory.exists());
    assert!(matches!(fixture.repositories.get(RepoId(1)), Err(Error::NotFound)));
}

#[test]
fn differs_under_reports_only_changes_below_the_path() {
    let fixture = Fixture::empty();
    let commit = |mark: usize, from: &str, change: &str| {
        format!("commit refs/heads/x\nmark :{mark}\ncommitter A <a@example.com> 1 +0000\ndata 0\n{from}{change}\n")
    };
    let write = |path: &str, text: &str| format!("M 100644 inline {path}\ndata {}\n{text}\n", text.len());
    let stream = [
        commit(1, "", &write("README", "a")),
        commit(2, "from :1\n", &write(".github/workflows/ci.yml", "a")),
        commit(3, "from :2\n", &write("README", "b")),
        commit(4, "from :3\n", "M 100755 inline .github/workflows/ci.yml\ndata 1\na\n"),
        commit(5, "from :4\n", "D .github/workflows/ci.yml\n"),
        commit(6, "from :5\n", &write(".github/workflows", "now a file")),
    ]
    .concat();
    let ids = fixture.fast_import(&stream);
    let reader = fixture.repository.reader(&NoObjects);
    let differs = |old: Option<usize>, new: usize| {
        let old = old.map(|mark| ids[mark - 1]);
        reader.differs_under(old.as_ref(), &ids[new - 1], b".github/workflows").expect("readable")
    };
    for (old, new, expected) in [
        (None, 1, false),
        (None, 2, true),
        (Some(1), 2, true),
        (Some(2), 3, false),
        (Some(3), 4, true),
        (Some(4), 5, true),
        (Some(1), 5, false),
        (Some(5), 6, true),
        (Some(2), 2, false),
    ] {
        assert_eq!(differs(old, new), expected, "{old:?} {new}");
    }
}

#[test]
fn fast_path_reads_memory_only_and_limits_steps() {
    let fixture = Fixture::empty();
    let chain: Vec<Vec<usize>> = (0..400).map(|index| if index == 0 { vec![] } else { vec![index] }).collect();
    let ids = fixture.fast_import(&commits_stream(&chain, seconds));
    let fast_path = |ancestor: usize, descendant: usize| {
        let outcome = fixture.repository.fast_path(|reader| reader.is_ancestor(&ids[ancestor], &ids[descendant]));
        outcome.map(|found| found.expect("readable"))
    };
    assert_eq!(fast_path(0, 1), None, "nothing is in memory yet");
    let reader = fixture.repository.reader(&NoObjects);
    for (ancestor, descendant) in [(0, 1), (1, 0), (0, 9), (9, 0), (399, 399)] {
        let is_ancestor = reader.is_ancestor(&ids[ancestor], &ids[descendant]).expect("readable");
        assert_eq!(fast_path(ancestor, descendant), Some(is_ancestor), "{ancestor} {descendant}");
    }
    assert!(reader.is_ancestor(&ids[0], &ids[399]).expect("readable"));
    assert_eq!(fast_path(0, 399), None, "that takes too many steps");
    let unknown = fixture.repository.fast_path(|reader| reader.kind_of(&RawObject::blob("x")?.sha()));
    assert!(unknown.is_none(), "an absent object needs a lookup on disk");
    let base = fixture.repository.fast_path(|reader| reader.merge_base(&ids[0], &ids[1]));
    assert!(base.is_none(), "a merge base may take long even in memory");
}
