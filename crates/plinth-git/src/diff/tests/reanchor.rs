//! Re-anchoring of one comment when the pull request changes.

use super::fixture::{Fixture, current, numbered};
use super::repo::TestRepo;
use crate::diff::Side::{Left, Right};
use crate::diff::{Anchor, Comparison, FileDiff, Reanchored, Subject, reanchor};

#[test]
fn comment_on_same_version_is_unchanged() {
    let fixture = Fixture::new();
    assert_eq!(fixture.reanchor(&fixture.head, fixture.anchor(Right, 20)), current(Right, 20, 5));
    assert_eq!(fixture.reanchor(&fixture.head, fixture.anchor(Left, 20)), current(Left, 20, 4));
    assert_eq!(fixture.reanchor(&fixture.head, fixture.anchor(Right, 23)), current(Right, 23, 8));
}

#[test]
fn insertion_above_moves_comment() {
    let fixture = Fixture::new();
    let head = fixture.push(format!("new\nnew\n{}", numbered(40, &[(20, "changed\n")])));
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Right, 20)), current(Right, 22, 11));
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Left, 20)), current(Left, 20, 10));
}

#[test]
fn insertion_below_leaves_comment() {
    let fixture = Fixture::new();
    let head = fixture.push(numbered(40, &[(20, "changed\n"), (35, "line 35\nnew\n")]));
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Right, 20)), current(Right, 20, 5));
}

#[test]
fn edited_line_is_outdated() {
    let fixture = Fixture::new();
    let head = fixture.push(numbered(40, &[(20, "changed again\n")]));
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Right, 20)), Reanchored::Outdated);
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Left, 20)), current(Left, 20, 4));
}

#[test]
fn deleted_line_is_outdated() {
    let fixture = Fixture::new();
    let head = fixture.push(numbered(40, &[(20, "")]));
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Right, 20)), Reanchored::Outdated);
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Right, 19)), current(Right, 19, 3));
}

#[test]
fn deleted_file_outdates_right_side_only() {
    let fixture = Fixture::new();
    fixture.repo.git(&["rm", "-q", "file"]);
    let head = fixture.repo.commit();
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Right, 20)), Reanchored::Outdated);
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Left, 20)), current(Left, 20, 20));
    let file = Anchor { subject: Subject::File, ..fixture.anchor(Right, 1) };
    assert_eq!(fixture.reanchor(&head, file), Reanchored::Outdated);
}

#[test]
fn comment_moves_with_renamed_and_edited_file() {
    let fixture = Fixture::new();
    fixture.repo.git(&["mv", "file", "moved"]);
    fixture.repo.write("moved", numbered(40, &[(1, "first\n"), (20, "changed\n")]));
    let head = fixture.repo.commit();
    let moved =
        |side, line, position| Reanchored::Current { path: b"moved".to_vec(), side, line, start: None, position };
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Right, 20)), moved(Right, 20, 11));
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Left, 20)), moved(Left, 20, 10));
    let file = Anchor { subject: Subject::File, ..fixture.anchor(Right, 1) };
    assert_eq!(fixture.reanchor(&head, file), Reanchored::CurrentFile { path: b"moved".to_vec() });
}

#[test]
fn rename_to_two_equal_files_is_outdated() {
    let fixture = Fixture::new();
    fixture.repo.git(&["rm", "-q", "file"]);
    let content = numbered(40, &[(20, "changed\n")]);
    let head = fixture.repo.write("a", &content).write("b", &content).commit();
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Right, 20)), Reanchored::Outdated);
    let head = fixture.repo.write("directory/file", &content).commit();
    let Reanchored::Current { path, .. } = fixture.reanchor(&head, fixture.anchor(Right, 20)) else {
        panic!("the name decides")
    };
    assert_eq!(path, b"directory/file");
}

#[test]
fn two_similar_files_that_move_are_paired_as_by_git() {
    let content = |name: &str, port: &str| format!("{}{name}\n{port}\n", numbered(20, &[]));
    let repo = TestRepo::new();
    let base = repo.write("other", "other\n").commit();
    let head = repo.write("config/dev", content("dev", "1")).write("config/prod", content("prod", "2")).commit();
    repo.git(&["rm", "-q", "-r", "config"]);
    // Each new file has more of the other old one.
    repo.write("conf.d/dev", content("prod", "1")).write("conf.d/prod", content("dev", "2"));
    let moved = repo.commit();
    let paired = repo.git(&["diff", "-M", "--name-status", &head.to_string(), &moved.to_string()]);
    let paired = String::from_utf8(paired).expect("our own names");
    let git_path = |old: &str| {
        let line = paired.lines().find(|line| line.contains(&format!("\t{old}\t"))).expect("git finds the rename");
        line.rsplit('\t').next().expect("a path").to_owned()
    };
    let opened = repo.open();
    let target = Comparison::new(&opened, &base, &moved).expect("both commits exist");
    for old in ["config/dev", "config/prod"] {
        let anchor = Anchor {
            base,
            head,
            old_path: None,
            new_path: Some(old.into()),
            subject: Subject::Line { side: Right, line: 3, start: None },
        };
        let found = reanchor(&opened, &target, &[anchor]).expect("a readable repository").remove(0);
        let Reanchored::Current { path, .. } = found else { panic!("{old} was renamed") };
        assert_eq!(String::from_utf8_lossy(&path), git_path(old), "{old}");
    }
}

#[test]
fn rebase_without_change_of_line_keeps_comment() {
    let fixture = Fixture::new();
    let (base, head) = fixture.rebase(&numbered(40, &[]), &numbered(40, &[(20, "changed\n")]));
    assert_eq!(fixture.reanchor_to(&base, &head, fixture.anchor(Right, 20)), current(Right, 20, 5));
    assert_eq!(fixture.reanchor_to(&base, &head, fixture.anchor(Left, 20)), current(Left, 20, 4));
}

#[test]
fn reverted_line_is_outdated_until_it_returns() {
    let fixture = Fixture::new();
    let reverted = fixture.push(numbered(40, &[(30, "elsewhere\n")]));
    assert_eq!(fixture.reanchor(&reverted, fixture.anchor(Right, 20)), Reanchored::Outdated);
    let redone = fixture.push(numbered(40, &[(20, "changed\n"), (30, "elsewhere\n")]));
    assert_eq!(fixture.reanchor(&redone, fixture.anchor(Right, 20)), current(Right, 20, 5));
}

#[test]
fn changed_base_moves_both_sides() {
    let fixture = Fixture::new();
    let above = |text: String| format!("from main\n{text}");
    let (base, head) =
        fixture.rebase(&above(numbered(40, &[])), &above(numbered(40, &[(20, "changed\n"), (3, "three\n")])));
    assert_eq!(fixture.reanchor_to(&base, &head, fixture.anchor(Left, 20)), current(Left, 21, 13));
    assert_eq!(fixture.reanchor_to(&base, &head, fixture.anchor(Right, 20)), current(Right, 21, 14));
}

#[test]
fn undone_deletion_is_outdated() {
    let fixture = Fixture::new();
    // Line 20 is back, and part of the diff because of a change next to it.
    let head = fixture.push(numbered(40, &[(22, "changed too\n")]));
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Left, 20)), Reanchored::Outdated);
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Left, 19)), current(Left, 19, 1), "an unchanged line stays one");
}

#[test]
fn changed_line_ends_are_outdated() {
    let fixture = Fixture::of("a\nb\nc\n", "a\nB\nc\n");
    let head = fixture.push("a\r\nB\r\nc\r\n");
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Right, 2)), Reanchored::Outdated);
    let unchanged = Fixture::of("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n");
    let head = unchanged.push("new\r\na\r\nB\r\nc\r\n");
    assert_eq!(unchanged.reanchor(&head, unchanged.anchor(Right, 2)), current(Right, 3, 4));
}

#[test]
fn last_line_without_line_feed_moves() {
    let fixture = Fixture::of("a\nb", "a\nc");
    let head = fixture.push("new\na\nc");
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Right, 2)), current(Right, 3, 5));
    let ended = fixture.push("a\nc\n");
    assert_eq!(fixture.reanchor(&ended, fixture.anchor(Right, 2)), Reanchored::Outdated, "the line itself changed");
}

#[test]
fn no_newline_marker_counts_as_position() {
    let fixture = Fixture::of("a\nb", "a\nc");
    assert_eq!(fixture.reanchor(&fixture.head, fixture.anchor(Left, 2)), current(Left, 2, 2));
    assert_eq!(fixture.reanchor(&fixture.head, fixture.anchor(Right, 2)), current(Right, 2, 4));
}

#[test]
fn line_of_file_that_becomes_binary_is_outdated() {
    let fixture = Fixture::new();
    let head = fixture.push(b"\0\x01\x02");
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Right, 20)), Reanchored::Outdated);
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Left, 20)), Reanchored::Outdated, "no line of it is shown");
    let file = Anchor { subject: Subject::File, ..fixture.anchor(Right, 1) };
    assert_eq!(fixture.reanchor(&head, file), Reanchored::CurrentFile { path: b"file".to_vec() });
}

#[test]
fn line_outside_the_diff_is_outdated() {
    let fixture = Fixture::new();
    // The comment was on context, and the change next to it is gone.
    let head = fixture.push(numbered(40, &[(35, "elsewhere\n")]));
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Right, 22)), Reanchored::Outdated);
    assert_eq!(fixture.reanchor(&head, fixture.anchor(Left, 22)), Reanchored::Outdated);
}

#[test]
fn comment_on_removed_version_is_outdated() {
    let fixture = Fixture::new();
    let gone = "0123456789012345678901234567890123456789".parse().expect("forty digits");
    let anchor = Anchor { base: gone, head: gone, ..fixture.anchor(Right, 20) };
    assert_eq!(fixture.reanchor(&fixture.head, anchor), Reanchored::Outdated);
}

#[test]
fn comment_on_deleted_file_moves_with_base() {
    let fixture = Fixture::new();
    fixture.repo.git(&["rm", "-q", "file"]);
    let head = fixture.repo.commit();
    let anchor = Anchor { head, new_path: None, ..fixture.anchor(Left, 7) };
    assert_eq!(fixture.reanchor(&head, anchor.clone()), current(Left, 7, 7));
    assert_eq!(fixture.reanchor(&fixture.head, anchor.clone()), Reanchored::Outdated);
    let file = Anchor { subject: Subject::File, ..anchor };
    assert_eq!(fixture.reanchor(&fixture.head, file), Reanchored::CurrentFile { path: b"file".to_vec() });
}

#[test]
fn many_comments_get_same_results_as_single_ones() {
    let fixture = Fixture::new();
    let head = fixture.push(format!("new\n{}", numbered(40, &[(19, "other\n"), (20, "changed\n"), (33, "")])));
    let repo = fixture.repo.open();
    let target = Comparison::new(&repo, &fixture.base, &head).expect("both commits exist");
    let mut anchors = Vec::new();
    for line in (1..=40).rev() {
        anchors.extend([fixture.anchor(Right, line), fixture.anchor(Left, line)]);
        anchors.push(fixture.range((Left, line / 2 + 1), (Right, line)));
    }
    let together = reanchor(&repo, &target, &anchors).expect("a readable repository");
    for (anchor, found) in anchors.into_iter().zip(together) {
        assert_eq!(found, fixture.reanchor(&head, anchor.clone()), "{anchor:?}");
    }
}

#[test]
fn reanchored_position_is_row_that_git_shows() {
    let fixture = Fixture::new();
    let head = fixture.push(numbered(40, &[(2, ""), (20, "changed\n"), (21, "new\nline 21\n")]));
    let Reanchored::Current { line, position, .. } = fixture.reanchor(&head, fixture.anchor(Right, 20)) else {
        panic!("it is there")
    };
    let diff = FileDiff::between(numbered(40, &[]).as_bytes(), &fixture.repo.git(&["show", &format!("{head}:file")]));
    assert_eq!(diff.line_at(position), Some((Right, line)));
    assert!(diff.diff_hunk(Right, line).expect("it is shown").ends_with(b"\n+changed"));
}
