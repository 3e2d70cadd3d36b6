//! Commits, tags and trees, as a push may contain them.

use std::sync::Arc;

use plinth_base::ids::{ObjectKind, RepoId, Sha};
use plinth_git::{
    Budget, Identity, MemoryObjects, NewCommit, NewTag, RawObject, Reader, Repositories, Repository, TreeChange,
    TreeEdit, TreeLimits, diff,
};

use crate::Target;
use crate::input::first;

const TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

thread_local! {
    /// An empty repository, over which objects are laid.
    static REPOSITORY: (Arc<Repository>, tempfile::TempDir) = {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let repositories = Repositories::at(directory.path()).expect("a data directory");
        (repositories.create(RepoId(1)).expect("a repository"), directory)
    };
}

/// Calls `check` with a reader that has just these objects.
fn with_objects(objects: Vec<RawObject>, check: impl FnOnce(&Reader<'_>, &[Sha])) {
    let mut overlay = MemoryObjects::default();
    let names: Vec<Sha> = objects.into_iter().map(|object| overlay.insert(object)).collect();
    REPOSITORY.with(|(repository, _)| check(&repository.reader(&overlay), &names));
}

fn object(kind: ObjectKind, data: &[u8]) -> Option<RawObject> {
    RawObject::new(kind, data.to_vec()).ok()
}

/// The first byte is the kind. What was parsed and can be written is parsed to the same again.
pub const OBJECTS: Target = Target {
    name: "objects",
    seeds: || {
        let person = "A U Thor <a@example.com> 1700000000 +0130";
        let commit = format!("tree {TREE}\nparent {TREE}\nauthor {person}\ncommitter {person}\n");
        let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n";
        let tag = format!("object {TREE}\ntype tree\ntag v1\ntagger {person}\n\nmessage\n");
        vec![
            format!("c{commit}\nmessage\n"),
            format!("c{commit}{signature}encoding latin1\nmergetag object {TREE}\n type commit\n\nsigned"),
            format!("t{tag}"),
            format!("t{tag}-----BEGIN PGP SIGNATURE-----\nabc\n-----END PGP SIGNATURE-----\n"),
        ]
        .into_iter()
        .map(String::into_bytes)
        .collect()
    },
    check: |data| match first(data) {
        (b't', data) => check_tag(data),
        (_, data) => check_commit(data),
    },
};

fn check_commit(data: &[u8]) {
    let Some(commit) = object(ObjectKind::Commit, data) else { return };
    with_objects(vec![commit], |reader, names| {
        let tree_id = reader.find_tree_id(&names[0]);
        let Ok(Some(commit)) = reader.find_commit(&names[0]) else { return };
        assert_eq!(tree_id.expect("the whole commit is readable"), Some(commit.tree_id));
        if !(is_plain(&commit.author) && is_plain(&commit.committer)) {
            return;
        }
        let signature = commit.signature.as_ref().map(|signature| signature.signature.clone());
        let (tree_id, parent_ids, message) = (commit.tree_id, commit.parent_ids.clone(), commit.message.clone());
        let (author, committer) = (commit.author.clone(), commit.committer.clone());
        let Ok(written) = (NewCommit { tree_id, parent_ids, author, committer, message, signature }).to_object() else {
            return;
        };
        with_objects(vec![written], |reader, names| {
            let again = reader.find_commit(&names[0]).expect("we wrote it").expect("it is a commit");
            assert_eq!((again.tree_id, &again.parent_ids), (commit.tree_id, &commit.parent_ids));
            assert_eq!((&again.author, &again.committer), (&commit.author, &commit.committer));
            assert_eq!(again.message, commit.message);
            assert_eq!(again.signature.is_some(), commit.signature.is_some());
        });
    });
}

fn check_tag(data: &[u8]) {
    let Some(tag) = object(ObjectKind::Tag, data) else { return };
    with_objects(vec![tag], |reader, names| {
        assert!(reader.peel(&names[0]).is_err() || reader.find_tag(&names[0]).is_ok());
        let Ok(Some(tag)) = reader.find_tag(&names[0]) else { return };
        let Some(tagger) = tag.tagger.clone().filter(is_plain) else { return };
        let (name, message) = (tag.name.clone(), tag.message.clone());
        let new = NewTag { name, target_id: tag.target_id, target_kind: tag.target_kind, tagger, message };
        let Ok(written) = new.to_object() else { return };
        with_objects(vec![written], |reader, names| {
            let again = reader.find_tag(&names[0]).expect("we wrote it").expect("it is a tag");
            assert_eq!((&again.name, again.target_id, again.target_kind), (&tag.name, tag.target_id, tag.target_kind));
            assert_eq!(again.tagger, tag.tagger);
            assert_eq!(again.message.trim_end_matches('\n'), tag.message.trim_end_matches('\n'));
        });
    });
}

/// Writing a name removes spaces around it.
fn is_plain(identity: &Identity) -> bool {
    identity.name.trim() == identity.name && identity.email.trim() == identity.email
}

/// A digit of a mode, a space, a byte of a name, a NUL byte and a hash.
const ENTRY_BYTES_MIN: usize = 24;

/// Two trees after the length of the first. Their entries are found by name, and one tree does not differ from itself.
pub const TREES: Target = Target {
    name: "trees",
    seeds: || {
        let entry = |mode: &str, name: &str, byte: u8| [format!("{mode} {name}\0").as_bytes(), &[byte; 20]].concat();
        let one = [entry("100644", "a", 1), entry("100755", "b.sh", 2), entry("40000", "c", 3)].concat();
        let two = [entry("120000", "a", 1), entry("160000", "sub", 4), entry("0100664", "z", 2)].concat();
        let seed = |one: &[u8], two: &[u8]| [&[u8::try_from(one.len()).expect("short")], one, two].concat();
        vec![seed(&one, &two), seed(&two, &one), seed(&one, b""), seed(&one, &entry("100644", ".git", 5))]
    },
    check: |data| {
        let (length, rest) = first(data);
        let (one, two) = rest.split_at(usize::from(length).min(rest.len()));
        let (Some(one), Some(two)) = (object(ObjectKind::Tree, one), object(ObjectKind::Tree, two)) else { return };
        let (one_data, two_data) = (one.data().to_vec(), two.data().to_vec());
        with_objects(vec![one, two], |reader, names| {
            for (name, data) in names.iter().zip([one_data, two_data]) {
                check_tree(reader, name, &data);
                if let Ok(changes) = diff::changes(reader, name, name) {
                    assert!(changes.is_empty());
                }
            }
            let _ = diff::changes(reader, &names[0], &names[1]);
            let _ = diff::changes(reader, &names[1], &names[0]);
        });
    },
};

fn check_tree(reader: &Reader<'_>, name: &Sha, data: &[u8]) {
    let limits = TreeLimits { entries: 1_000, path_bytes: 100_000, recursive: false };
    let Ok(Some(listing)) = reader.list_tree(name, limits) else { return };
    assert!(listing.entries.len() <= limits.entries && listing.entries.len() * ENTRY_BYTES_MIN <= data.len());
    let mut edit = TreeEdit::from_empty();
    for entry in &listing.entries {
        // A name with a slash is a path of two entries.
        if !entry.path.contains(&b'/') && !entry.path.is_empty() {
            let found = reader.find_path(name, &entry.path).expect("the listing was readable").expect("it is listed");
            assert_eq!(found.name, entry.path);
        }
        let Ok(path) = std::str::from_utf8(&entry.path) else { return };
        if path.contains('/') || edit.change(path, TreeChange::Put { mode: entry.mode, sha: entry.sha }).is_err() {
            return;
        }
    }
    let mut objects = MemoryObjects::default();
    let Ok(built) = edit.build(reader, &mut objects, Budget::unlimited()) else { return };
    let again = REPOSITORY.with(|(repository, _)| repository.reader(&objects).list_tree(&built, limits));
    let again = again.expect("we wrote it");
    let again = again.map(|listing| listing.entries.into_iter().map(|entry| (entry.path, entry.mode, entry.sha)));
    let mut again: Vec<_> = again.into_iter().flatten().collect();
    let mut before: Vec<_> = listing.entries.into_iter().map(|entry| (entry.path, entry.mode, entry.sha)).collect();
    again.sort_by(|one, other| one.0.cmp(&other.0));
    before.sort_by(|one, other| one.0.cmp(&other.0));
    if !listing.is_truncated {
        assert_eq!(again, before);
    }
}
