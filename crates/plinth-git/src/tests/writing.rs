//! Created objects equal those of git, and what git rejects is rejected.

use std::collections::BTreeMap;
use std::fs;

use super::support::Fixture;
use crate::{
    Budget, Date, EntryMode, History, HistoryCommit, HistoryTag, Identity, MemoryObjects, NewCommit, NewTag, NoObjects,
    RawObject, TreeChange, TreeEdit,
};
use plinth_base::error::Error;
use plinth_base::ids::{ObjectKind, Sha};

fn commit(branch: &str, from: Option<&str>, files: &[(&str, Option<&str>)]) -> HistoryCommit {
    HistoryCommit {
        branch: branch.into(),
        from: from.map(Into::into),
        author_name: "Mona".into(),
        author_email: "mona@example.com".into(),
        message: "change".into(),
        files: files.iter().map(|(path, content)| ((*path).into(), content.map(Into::into))).collect(),
    }
}

fn history() -> History {
    let tag = |name: &str, target: &str, message: Option<&str>| HistoryTag {
        name: name.into(),
        target: target.into(),
        message: message.map(Into::into),
    };
    History {
        commits: vec![
            commit(
                "main",
                None,
                &[("README.md", Some("# hello\n")), ("src/a.txt", Some("1\n2\n")), ("src/b", Some("b"))],
            ),
            commit("feature", Some("main"), &[("src/a.txt", Some("one\n")), ("src/b", None)]),
            commit("main", None, &[("src/a.txt", None), ("src/b", None)]),
        ],
        tags: vec![
            tag("light", "feature", None),
            tag("v1", "main", Some("first")),
            tag("v1-again", "v1", Some("outer")),
        ],
    }
}

#[test]
fn created_history_has_stable_ids_and_passes_fsck() {
    let (one, other) = (Fixture::empty(), Fixture::empty());
    let refs = one.repository.create_history(&history()).expect("created");
    assert_eq!(refs, other.repository.create_history(&history()).expect("created again"));
    let shown: BTreeMap<&str, String> = refs.iter().map(|(name, sha)| (name.as_str(), sha.to_string())).collect();
    expect_test::expect![[r#"
        {
            "refs/heads/feature": "de489fb1233836a8569aef3c9db199fbfcacbdee",
            "refs/heads/main": "df518edcf73c8cb84539dadff05b3ae60051e6f8",
            "refs/tags/light": "de489fb1233836a8569aef3c9db199fbfcacbdee",
            "refs/tags/v1": "feef1e10dd4c8040844543071525279580713286",
            "refs/tags/v1-again": "215a48cfa699780e89a9976ef802bc127f3986c7",
        }
    "#]]
    .assert_debug_eq(&shown);
    one.check();
    let main = &shown["refs/heads/main"];
    assert_eq!(one.git(&["ls-tree", "-r", "--name-only", main]), "README.md");
    assert_eq!(one.git(&["ls-tree", "-r", "--name-only", &shown["refs/heads/feature"]]), "README.md\nsrc/a.txt");
    assert_eq!(one.git(&["show", &format!("{}:src/a.txt", shown["refs/tags/light"])]), "one");
    assert_eq!(&one.git(&["rev-parse", &format!("{}^{{commit}}", shown["refs/tags/v1-again"])]), main);
    assert_eq!(one.git(&["log", "--format=%at %s", main]), "1577836920 change\n1577836800 change");
}

#[test]
fn invalid_history_is_rejected_without_trace() {
    let fixture = Fixture::empty();
    for commits in [
        vec![commit("a", Some("absent"), &[])],
        vec![commit("a", None, &[]), commit("a", Some("a"), &[])],
        vec![commit("a", None, &[("x", None)])],
        vec![commit("a", None, &[(".git/config", Some("x"))])],
        vec![commit("a..b", None, &[])],
    ] {
        let result = fixture.repository.create_history(&History { commits, tags: vec![] });
        assert!(matches!(result, Err(Error::Unprocessable(_))), "{result:?}");
    }
    assert_eq!(fs::read_dir(fixture.repository.pack_directory()).expect("a directory").count(), 0);
}

#[test]
fn written_index_equals_that_of_git() {
    let fixture = Fixture::empty();
    let mut objects: Vec<RawObject> =
        (0..600).map(|number| RawObject::blob(format!("{number}").repeat(number)).expect("a blob")).collect();
    objects.push(objects[7].clone());
    fixture.repository.store(&objects).expect("stored");
    fixture.check();
    for object in &objects {
        let found = fixture.repository.reader(&NoObjects).find_blob(&object.sha(), 10_000).expect("readable");
        assert_eq!(found.expect("present").data(), object.data());
    }
    let index = fs::read_dir(fixture.repository.pack_directory())
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.extension().is_some_and(|extension| extension == "idx"))
        .expect("an index");
    let theirs = fixture.data.path().join("theirs.idx");
    let pack = index.with_extension("pack");
    fixture.git(&["index-pack", "--no-rev-index", "-o", &theirs.to_string_lossy(), &pack.to_string_lossy()]);
    assert!(fs::read(index).expect("ours") == fs::read(theirs).expect("theirs"));
}

fn build(fixture: &Fixture, edit: TreeEdit) -> Sha {
    let mut objects = MemoryObjects::default();
    let sha = edit.build(&fixture.repository.reader(&NoObjects), &mut objects, Budget::unlimited()).expect("built");
    fixture.repository.store(&objects.into_sorted()).expect("stored");
    sha
}

#[test]
fn tree_edit_equals_git_index() {
    let fixture = Fixture::empty();
    let write = |content: &str| TreeChange::Write { mode: EntryMode::File, content: content.into() };
    let mut edit = TreeEdit::from_empty();
    for path in ["a", "a.b", "a-b/c", "dir/x", "dir/sub/y", "gone/only"] {
        edit.change(path, write(path)).expect("a good path");
    }
    let link = TreeChange::Write { mode: EntryMode::Symlink, content: b"a".to_vec() };
    edit.change("link", link).expect("a good path");
    let base = build(&fixture, edit);

    let mut edit = TreeEdit::from_base(base);
    edit.change("gone/only", TreeChange::Delete).expect("a good path");
    edit.change("a/now/deep", write("deep")).expect("a directory replaces the file");
    let blob_id = RawObject::blob("dir/x").expect("a blob").sha();
    edit.change("dir/x2", TreeChange::Put { mode: EntryMode::Executable, sha: blob_id }).expect("a good path");
    let tree_id = build(&fixture, edit);
    fixture.check();

    let index = ["a-b/c", "a.b", "a/now/deep", "dir/sub/y", "dir/x", "dir/x2", "link"];
    assert_eq!(
        fixture.git(&["ls-tree", "-r", "--name-only", &tree_id.to_string()]).replace('\n', " "),
        index.join(" ")
    );
    let listing = fixture.git(&["ls-tree", "-r", &tree_id.to_string()]);
    fixture.git_with(&["update-index", "--index-info"], format!("{listing}\n").as_bytes());
    assert_eq!(fixture.git(&["write-tree"]), tree_id.to_string());
}

#[test]
fn tree_that_git_rejects_is_rejected() {
    let content = TreeChange::Write { mode: EntryMode::File, content: vec![] };
    for path in ["", "/a", "a//b", "a/", ".", "a/..", ".git", "x/.GIT/config", "git~1", ".g\u{200c}it", "a\0b", ".git "]
    {
        let outcome = TreeEdit::from_empty().change(path, content.clone());
        assert!(matches!(outcome, Err(Error::Unprocessable(_))), "{path:?}");
    }
    let link = TreeChange::Write { mode: EntryMode::Symlink, content: vec![] };
    assert!(TreeEdit::from_empty().change(".gitmodules", link).is_err());
    let deep = "a/".repeat(300) + "a";
    assert!(TreeEdit::from_empty().change(&deep, content.clone()).is_err());
    for pair in [["a", "a"], ["a", "a/b"], ["a/b", "a"]] {
        let mut edit = TreeEdit::from_empty();
        edit.change(pair[0], content.clone()).expect("the first is good");
        assert!(edit.change(pair[1], content.clone()).is_err(), "{pair:?}");
    }
}

#[test]
fn gitmodules_file_is_checked_by_git() {
    let fixture = Fixture::empty();
    for (url, is_good) in [("https://example.com/x", true), ("-u./evil", false)] {
        let content = format!("[submodule \"x\"]\n\tpath = x\n\turl = {url}\n").into_bytes();
        let mut edit = TreeEdit::from_empty();
        edit.change("README", TreeChange::Write { mode: EntryMode::File, content: vec![] }).expect("a good path");
        assert!(!edit.has_submodules_file());
        edit.change(".GitModules", TreeChange::Write { mode: EntryMode::File, content }).expect("a good path");
        assert!(edit.has_submodules_file());
        let mut objects = MemoryObjects::default();
        edit.build(&NoObjects, &mut objects, Budget::unlimited()).expect("built");
        let outcome = fixture.repository.check_objects(&objects.into_sorted(), &[]);
        assert_eq!(outcome.is_ok(), is_good, "{outcome:?}");
    }
    assert_eq!(fs::read_dir(fixture.repository.pack_directory()).expect("a directory").count(), 0);
}

#[test]
fn written_commits_and_tags_equal_those_of_git() {
    let fixture = Fixture::empty();
    let tree_id = build(&fixture, TreeEdit::from_empty());
    let identity = Identity {
        name: "Mona".into(),
        email: "m@example.com".into(),
        date: Date { seconds: 1_700_000_000, offset_minutes: -210 },
    };
    let signature = "-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n";
    let new = NewCommit {
        tree_id,
        parent_ids: vec![],
        author: identity.clone(),
        committer: identity.clone(),
        message: "signed\n".into(),
        signature: Some(signature.into()),
    };
    let commit = new.to_object().expect("a commit");
    let tag = NewTag {
        name: "v1".into(),
        target_id: commit.sha(),
        target_kind: ObjectKind::Commit,
        tagger: identity.clone(),
        message: "tag".into(),
    };
    let tag = tag.to_object().expect("a tag");
    fixture.repository.store(&[commit.clone(), tag.clone()]).expect("stored");
    fixture.check();
    let reader = fixture.repository.reader(&NoObjects);
    let read = reader.find_commit(&commit.sha()).expect("readable").expect("present");
    assert_eq!((&read.author, read.message.as_str()), (&identity, "signed\n"));
    let read_signature = read.signature.expect("signed");
    assert_eq!(read_signature.signature.trim_end(), signature.trim_end());
    let unsigned = NewCommit { signature: None, ..new.clone() }.to_object().expect("a commit");
    assert_eq!(read_signature.payload.as_bytes(), unsigned.data());
    assert_eq!(reader.find_tag(&tag.sha()).expect("readable").expect("present").message, "tag\n");

    let assert_rejected = |new: NewCommit| assert!(matches!(new.to_object(), Err(Error::Unprocessable(_))), "{new:?}");
    let with_author = |author: Identity| NewCommit { author, ..new.clone() };
    assert_rejected(NewCommit { message: "a\0b".into(), ..new.clone() });
    assert_rejected(with_author(Identity { name: "a\nparent x".into(), ..identity.clone() }));
    assert_rejected(with_author(Identity { name: " ".into(), ..identity.clone() }));
    assert_rejected(with_author(Identity { email: "a> 1 +0000".into(), ..identity.clone() }));
    assert_rejected(with_author(Identity { date: Date::utc(-1), ..identity }));
}
