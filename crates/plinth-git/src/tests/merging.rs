//! Merges, compared with git's own.

use super::support::Fixture;
use crate::{Merger, NoObjects, ObjectKind};
use plinth_base::ids::Sha;

/// Commits with one file each, described by parent and content.
fn commits(fixture: &Fixture, commits: &[(Option<usize>, &str)]) -> Vec<Sha> {
    let mut stream = String::new();
    for (index, (parent, content)) in commits.iter().enumerate() {
        let mark = index + 1;
        let from = parent.map(|parent| format!("from :{parent}\n")).unwrap_or_default();
        stream.push_str(&format!(
            "reset refs/heads/x\ncommit refs/heads/x\nmark :{mark}\ncommitter A <a@example.com> {mark} +0000\n\
             data 1\nx\n{from}M 100644 inline file\ndata {}\n{content}\n\n",
            content.len()
        ));
    }
    fixture.fast_import(&stream)
}

fn text(first: &str, last: &str) -> String {
    format!("{first}\n2\n3\n4\n5\n6\n7\n{last}\n")
}

#[test]
fn merge_has_the_tree_that_git_makes_and_returns_new_objects() {
    let fixture = Fixture::empty();
    let (base, ours, theirs) = (text("1", "8"), text("one", "8"), text("1", "eight"));
    let ids = commits(&fixture, &[(None, &base), (Some(1), &ours), (Some(1), &theirs)]);
    let reader = fixture.repository.reader(&NoObjects);
    let mut merger = Merger::new(&fixture.repository, &reader);
    let tree = merger.merge(&ids[1], &ids[2]).expect("git runs").expect("no conflict");
    let objects = merger.into_objects().expect("readable");
    let kinds: Vec<_> = objects.iter().map(|object| object.kind()).collect();
    assert!(kinds.len() == 2 && kinds.contains(&ObjectKind::Blob) && kinds.contains(&ObjectKind::Tree), "{kinds:?}");
    assert!(objects.iter().any(|object| object.sha() == tree));
    let blob = objects.iter().find(|object| object.kind() == ObjectKind::Blob).expect("counted above");
    assert_eq!(String::from_utf8_lossy(blob.data()), text("one", "eight"));
    assert!(reader.kind_of(&tree).expect("readable").is_none(), "the repository is unchanged");
    let expected = fixture.git(&["merge-tree", "--write-tree", &ids[1].to_string(), &ids[2].to_string()]);
    assert_eq!(tree.to_string(), expected);
}

#[test]
fn merge_of_conflicting_or_unrelated_commits_has_no_tree() {
    let fixture = Fixture::empty();
    let ids = commits(&fixture, &[(None, "1\n"), (Some(1), "one\n"), (Some(1), "eins\n"), (None, "other\n")]);
    let reader = fixture.repository.reader(&NoObjects);
    let mut merger = Merger::new(&fixture.repository, &reader);
    assert_eq!(merger.merge(&ids[1], &ids[2]).expect("git runs"), None);
    assert_eq!(merger.merge(&ids[1], &ids[3]).expect("nothing to run"), None);
}

#[test]
fn merge_of_a_descendant_needs_no_objects() {
    let fixture = Fixture::empty();
    let ids = commits(&fixture, &[(None, "1\n"), (Some(1), "2\n")]);
    let reader = fixture.repository.reader(&NoObjects);
    let newer = reader.find_tree_id(&ids[1]).expect("readable");
    let mut merger = Merger::new(&fixture.repository, &reader);
    assert_eq!(merger.merge(&ids[0], &ids[1]).expect("readable"), newer);
    assert_eq!(merger.merge(&ids[1], &ids[0]).expect("readable"), newer);
    assert!(merger.into_objects().expect("none").is_empty());
}

#[test]
fn picks_apply_one_commit_after_another() {
    let fixture = Fixture::empty();
    let contents = [text("1", "8"), text("one", "8"), text("1", "eight"), text("1", "acht")];
    let parents = [None, Some(1), Some(1), Some(3)];
    let described: Vec<_> = parents.into_iter().zip(contents.iter().map(String::as_str)).collect();
    let ids = commits(&fixture, &described);
    let reader = fixture.repository.reader(&NoObjects);
    let base_tree = reader.find_tree_id(&ids[1]).expect("readable").expect("a commit");
    let mut merger = Merger::new(&fixture.repository, &reader);
    let first = merger.pick(base_tree, &ids[2], &ids[0]).expect("git runs").expect("no conflict");
    let second = merger.pick(first, &ids[3], &ids[2]).expect("git runs").expect("no conflict");
    let objects = merger.into_objects().expect("readable");
    assert!([first, second].iter().all(|tree| objects.iter().any(|object| object.sha() == *tree)));
    let last = text("one", "acht");
    assert!(objects.iter().any(|object| object.data() == last.as_bytes()));
    assert!(objects.iter().all(|object| object.kind() != ObjectKind::Commit), "helper commits are not returned");
    let mut merger = Merger::new(&fixture.repository, &reader);
    assert_eq!(merger.pick(base_tree, &ids[3], &ids[2]).expect("git runs"), None, "the change before it is missing");
}
