//! Files and whole diffs of commits against `git diff`.

use proptest::prelude::*;

use super::repo::TestRepo;
use crate::diff::{BinaryFiles, FileDiff, FileMode, Status, changes, entry_at, unified};
use plinth_base::ids::Sha;

fn assert_unified_as_git(repo: &TestRepo, old: &Sha, new: &Sha) {
    let ours = unified(&repo.open(), old, new, BinaryFiles::Named).expect("both commits exist");
    let theirs = repo.diff(old, new);
    assert!(ours == theirs, "ours:\n{}\ngit:\n{}", String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs));
}

/// Git applies our patch, forward and backward, and gets exactly the other tree.
fn assert_applies(repo: &TestRepo, old: &Sha, new: &Sha) {
    let patch = unified(&repo.open(), old, new, BinaryFiles::Included).expect("both commits exist");
    assert!(!String::from_utf8_lossy(&patch).contains("Binary files"), "contents are included");
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), &patch).expect("our own file");
    let file = file.path().to_str().expect("a path of the test");
    let tree = |commit: &Sha| repo.git(&["rev-parse", &format!("{commit}^{{tree}}")]);
    for (from, to, flags) in [(old, new, &["--cached"][..]), (new, old, &["--cached", "-R"][..])] {
        repo.git(&["read-tree", &from.to_string()]);
        repo.git(&[&["apply"], flags, &[file]].concat());
        assert_eq!(repo.git(&["write-tree"]), tree(to), "{from} to {to}");
    }
}

#[test]
fn patch_with_binary_files_is_applied_by_git() {
    let repo = TestRepo::new();
    let bytes = |seed: u32, count: u32| -> Vec<u8> {
        (0..count).map(|index| (index.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 11) as u8).collect()
    };
    repo.write("edited", bytes(1, 5_000)).write("gone", bytes(2, 51)).write("moved", bytes(3, 4_000));
    repo.write("text", text(1, 5)).write("binary-to-text", b"\0\0").write("empty-to-binary", "");
    let old = repo.commit();
    repo.write("edited", bytes(4, 5_003)).write("new", bytes(5, 53)).write("text", text(2, 5)).write("one", b"\0");
    repo.write("binary-to-text", "text\n").write("empty-to-binary", bytes(6, 104));
    repo.git(&["mv", "moved", "renamed"]);
    let mut renamed = bytes(3, 4_000);
    renamed[17] ^= 1;
    repo.write("renamed", renamed);
    std::fs::remove_file(repo.path().join("gone")).expect("it was written");
    let new = repo.commit();
    assert_applies(&repo, &old, &new);
    assert_applies(&repo, &new, &old);
}

/// Text that depends on `seed`, long enough for rename detection.
fn text(seed: u32, lines: u32) -> String {
    (0..lines).map(|line| format!("{seed} says {} in line {line}\n", line * seed % 97)).collect()
}

#[test]
fn unified_diff_equals_git_for_every_change() {
    let repo = TestRepo::new();
    repo.write("unchanged", text(1, 20))
        .write("edited", text(2, 20))
        .write("gone", text(3, 20))
        .write("empty-gone", "");
    repo.write("from/moved", text(4, 30)).write("moved and edited", text(5, 30)).write("binary", b"a\0b");
    repo.write("binary-gone", b"a\0c").write("mode", text(6, 5)).write("type", "text\n").write("directory/file", "x\n");
    repo.write("rename-mode", text(7, 20)).write("no newline", "a\nb").write("tab\there", "x\n").write("weiß", "x\n");
    let old = repo.commit();
    repo.write("edited", text(2, 20).replace("line 7", "line seven"));
    repo.write("to/moved", text(4, 30)).write("renamed", text(5, 30).replace("line 3\n", "line three\n"));
    repo.write("binary", b"a\0d").write("binary-new", b"\0").write("empty-new", "").write("no newline", "a\nb\n");
    repo.write("tab\there", "y\n").write("weiß", "y\n").write("quo\"te\\", "new\n").write("new file", text(9, 3));
    repo.git(&["mv", "rename-mode", "renamed-mode"]);
    repo.git(&["update-index", "--chmod=+x", "mode", "renamed-mode"]);
    for path in ["gone", "empty-gone", "from/moved", "moved and edited", "binary-gone", "type"] {
        std::fs::remove_file(repo.path().join(path)).expect("it was written");
    }
    std::fs::remove_dir_all(repo.path().join("directory")).expect("it was written");
    std::os::unix::fs::symlink("unchanged", repo.path().join("type")).expect("a link");
    repo.write("directory", "a file now\n");
    for path in ["mode", "renamed-mode"] {
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(repo.path().join(path), executable).expect("our own file");
    }
    let new = repo.commit();
    assert_unified_as_git(&repo, &old, &new);
    assert_unified_as_git(&repo, &new, &old);

    let found = changes(&repo.open(), &old, &new).expect("both commits exist");
    let status = |path: &str| {
        found
            .iter()
            .find(|change| change.path() == path.as_bytes())
            .map(|change| (change.status(), change.previous_path()))
    };
    assert_eq!(status("unchanged"), None);
    assert_eq!(status("edited"), Some((Status::Modified, None)));
    assert_eq!(status("gone"), Some((Status::Deleted, None)));
    assert_eq!(status("to/moved"), Some((Status::Renamed, Some(&b"from/moved"[..]))));
    assert_eq!(status("renamed"), Some((Status::Renamed, Some(&b"moved and edited"[..]))));
    assert_eq!(status("type"), Some((Status::TypeChanged, None)));
    assert_eq!(status("directory"), Some((Status::Added, None)));
    assert_eq!(status("mode"), Some((Status::Modified, None)));
}

#[test]
fn submodule_diff_is_one_line() {
    let repo = TestRepo::new();
    let old = repo.commit();
    let entry = |sha: &Sha| format!("160000,{sha},module");
    repo.git(&["update-index", "--add", "--cacheinfo", &entry(&old)]);
    repo.git(&["commit", "-q", "-m", "add"]);
    let middle = repo.head();
    repo.git(&["update-index", "--cacheinfo", &entry(&middle)]);
    repo.git(&["commit", "-q", "-m", "move"]);
    let new = repo.head();
    repo.git(&["update-index", "--cacheinfo", "160000,0123456789012345678901234567890123456789,module"]);
    repo.git(&["commit", "-q", "-m", "to a commit that is not here"]);
    assert_unified_as_git(&repo, &new, &repo.head());
    assert_unified_as_git(&repo, &old, &middle);
    assert_unified_as_git(&repo, &middle, &new);
}

#[test]
fn abbreviation_grows_with_repository() {
    let repo = TestRepo::new();
    for file in 0..400 {
        repo.write(&format!("file {file}"), text(file, 2));
    }
    let old = repo.commit();
    for round in 0..90 {
        repo.write(&format!("file {round}"), text(round + 1000, 2));
        repo.commit();
    }
    repo.git(&["gc", "-q"]);
    assert_unified_as_git(&repo, &old, &repo.head());
}

#[test]
fn entry_at_finds_only_exact_paths() {
    let repo = TestRepo::new();
    repo.write("directory/file", "x\n");
    std::os::unix::fs::symlink("/etc", repo.path().join("link")).expect("a link");
    let head = repo.commit();
    let find = |path: &str| entry_at(&repo.open(), &head, path.as_bytes()).expect("a readable repository");
    assert_eq!(find("directory/file").map(|entry| entry.mode), Some(FileMode::File));
    assert_eq!(find("link").map(|entry| entry.mode), Some(FileMode::Symlink));
    for path in [
        "",
        "/",
        "directory",
        "directory/",
        "/directory/file",
        "directory//file",
        "directory/../directory/file",
        "link/passwd",
    ] {
        assert_eq!(find(path), None, "{path}");
    }
}

#[test]
fn file_with_too_many_lines_is_binary() {
    let repo = TestRepo::new();
    let old = repo.write("lines", "a\n".repeat(100_001)).write("fewer", "a\n".repeat(100_000)).commit();
    let new = repo.write("lines", "b\n").write("fewer", "b\n").commit();
    let opened = repo.open();
    let found = changes(&opened, &old, &new).expect("both commits exist");
    let binary = found.iter().map(|change| FileDiff::of(&opened, change).expect("both blobs exist").is_binary());
    assert_eq!(binary.collect::<Vec<_>>(), [false, true]);
}

#[test]
fn counts_equal_numstat() {
    let repo = TestRepo::new();
    repo.write("a", text(1, 40)).write("b", b"\0").write("c", "x\ny");
    let old = repo.commit();
    repo.write("a", text(1, 40).replace("7", "seven")).write("b", b"\0\0").write("c", "x\ny\nz\n");
    let new = repo.commit();
    let opened = repo.open();
    let mut ours = String::new();
    for change in changes(&opened, &old, &new).expect("both commits exist") {
        let diff = FileDiff::of(&opened, &change).expect("both blobs exist");
        let path = String::from_utf8_lossy(change.path()).into_owned();
        ours += &match diff.is_binary() {
            true => format!("-\t-\t{path}\n"),
            false => format!("{}\t{}\t{path}\n", diff.additions(), diff.deletions()),
        };
    }
    let theirs = repo.git(&["diff", "--numstat", &old.to_string(), &new.to_string()]);
    assert_eq!(ours, String::from_utf8_lossy(&theirs));
}

#[test]
fn renames_over_limit_need_equal_content_or_name() {
    let repo = TestRepo::new();
    for file in 0..1010 {
        repo.write(&format!("old/{file}"), format!("{file}\n").repeat(9));
    }
    repo.write("a/name", text(1, 40)).write("equal", text(2, 40));
    let old = repo.commit();
    std::fs::remove_dir_all(repo.path().join("old")).expect("it was written");
    for file in 0..1010 {
        repo.write(&format!("new/x{file}"), format!("{file}\n").repeat(8));
    }
    repo.git(&["rm", "-q", "a/name"]);
    repo.git(&["mv", "equal", "still equal"]);
    repo.write("b/name", text(1, 40).replace("line 3\n", "line three\n"));
    assert_unified_as_git(&repo, &old, &repo.commit());
}

/// A random change of one file: its new path, and how many of its lines change.
fn moves() -> impl Strategy<Value = Vec<(u32, u8, u8, u32)>> {
    proptest::collection::vec((0u32..6, 0u8..5, 0u8..6, 0u32..16), 2..14)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn renames_equal_git(moves in moves(), crlf in any::<bool>()) {
        let repo = TestRepo::new();
        for (index, (kind, directory, ..)) in moves.iter().enumerate() {
            repo.write(&format!("d{directory}/f{}", index % 5), text(*kind, 15));
        }
        let old = repo.commit();
        for directory in 0..5 {
            std::fs::remove_dir_all(repo.path().join(format!("d{directory}"))).ok();
        }
        for (index, (kind, directory, name, changed)) in moves.iter().enumerate() {
            let lines = text(*kind, 15);
            let mut content: String = lines.lines().enumerate().map(|(line, text)| {
                let end = if crlf && index % 2 == 0 { "\r\n" } else { "\n" };
                if (line as u32) < *changed { format!("other {line} {index}{end}") } else { format!("{text}{end}") }
            }).collect();
            if index % 3 == 0 {
                content.pop();
            }
            repo.write(&format!("d{}/f{name}", (directory + 1) % 6), content);
        }
        assert_unified_as_git(&repo, &old, &repo.commit());
    }
}
