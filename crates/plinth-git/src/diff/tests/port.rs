//! What becomes of a comment when the pull request changes, one story at a time.

use super::story::{Story, current, numbered};
use crate::diff::Side::{Left, Right};
use crate::diff::{Anchor, Comparison, FileDiff, Reanchored, Subject, reanchor};

#[test]
fn on_its_own_version_a_comment_is_where_it_was_written() {
    let story = Story::new();
    assert_eq!(story.reanchor(&story.head, story.anchor(Right, 20)), current(Right, 20, 5));
    assert_eq!(story.reanchor(&story.head, story.anchor(Left, 20)), current(Left, 20, 4));
    assert_eq!(story.reanchor(&story.head, story.anchor(Right, 23)), current(Right, 23, 8));
}

#[test]
fn an_insertion_above_moves_the_line() {
    let story = Story::new();
    let head = story.push(format!("new\nnew\n{}", numbered(40, &[(20, "changed\n")])));
    assert_eq!(story.reanchor(&head, story.anchor(Right, 20)), current(Right, 22, 11));
    assert_eq!(story.reanchor(&head, story.anchor(Left, 20)), current(Left, 20, 10));
}

#[test]
fn an_insertion_below_changes_nothing() {
    let story = Story::new();
    let head = story.push(numbered(40, &[(20, "changed\n"), (35, "line 35\nnew\n")]));
    assert_eq!(story.reanchor(&head, story.anchor(Right, 20)), current(Right, 20, 5));
}

#[test]
fn an_edit_of_the_line_outdates_it() {
    let story = Story::new();
    let head = story.push(numbered(40, &[(20, "changed again\n")]));
    assert_eq!(story.reanchor(&head, story.anchor(Right, 20)), Reanchored::Outdated);
    assert_eq!(story.reanchor(&head, story.anchor(Left, 20)), current(Left, 20, 4));
}

#[test]
fn a_deletion_of_the_line_outdates_it() {
    let story = Story::new();
    let head = story.push(numbered(40, &[(20, "")]));
    assert_eq!(story.reanchor(&head, story.anchor(Right, 20)), Reanchored::Outdated);
    assert_eq!(story.reanchor(&head, story.anchor(Right, 19)), current(Right, 19, 3));
}

#[test]
fn a_deletion_of_the_file_outdates_the_right_and_keeps_the_left() {
    let story = Story::new();
    story.repo.git(&["rm", "-q", "file"]);
    let head = story.repo.commit();
    assert_eq!(story.reanchor(&head, story.anchor(Right, 20)), Reanchored::Outdated);
    assert_eq!(story.reanchor(&head, story.anchor(Left, 20)), current(Left, 20, 20));
    let file = Anchor { subject: Subject::File, ..story.anchor(Right, 1) };
    assert_eq!(story.reanchor(&head, file), Reanchored::Outdated);
}

#[test]
fn a_rename_with_an_edit_is_followed() {
    let story = Story::new();
    story.repo.git(&["mv", "file", "moved"]);
    story.repo.write("moved", numbered(40, &[(1, "first\n"), (20, "changed\n")]));
    let head = story.repo.commit();
    let moved =
        |side, line, position| Reanchored::Current { path: b"moved".to_vec(), side, line, start: None, position };
    assert_eq!(story.reanchor(&head, story.anchor(Right, 20)), moved(Right, 20, 11));
    assert_eq!(story.reanchor(&head, story.anchor(Left, 20)), moved(Left, 20, 10));
    let file = Anchor { subject: Subject::File, ..story.anchor(Right, 1) };
    assert_eq!(story.reanchor(&head, file), Reanchored::CurrentFile { path: b"moved".to_vec() });
}

#[test]
fn a_rename_to_two_equal_files_is_ambiguous() {
    let story = Story::new();
    story.repo.git(&["rm", "-q", "file"]);
    let content = numbered(40, &[(20, "changed\n")]);
    let head = story.repo.write("a", &content).write("b", &content).commit();
    assert_eq!(story.reanchor(&head, story.anchor(Right, 20)), Reanchored::Outdated);
    let head = story.repo.write("folder/file", &content).commit();
    let Reanchored::Current { path, .. } = story.reanchor(&head, story.anchor(Right, 20)) else {
        panic!("the name decides")
    };
    assert_eq!(path, b"folder/file");
}

#[test]
fn a_rebase_that_leaves_the_line_alone_keeps_it() {
    let story = Story::new();
    let (base, head) = story.rebase(&numbered(40, &[]), &numbered(40, &[(20, "changed\n")]));
    assert_eq!(story.port_to(&base, &head, story.anchor(Right, 20)), current(Right, 20, 5));
    assert_eq!(story.port_to(&base, &head, story.anchor(Left, 20)), current(Left, 20, 4));
}

#[test]
fn a_revert_outdates_and_the_same_change_again_revives() {
    let story = Story::new();
    let reverted = story.push(numbered(40, &[(30, "elsewhere\n")]));
    assert_eq!(story.reanchor(&reverted, story.anchor(Right, 20)), Reanchored::Outdated);
    let redone = story.push(numbered(40, &[(20, "changed\n"), (30, "elsewhere\n")]));
    assert_eq!(story.reanchor(&redone, story.anchor(Right, 20)), current(Right, 20, 5));
}

#[test]
fn a_moved_base_moves_both_sides() {
    let story = Story::new();
    let above = |text: String| format!("from main\n{text}");
    let (base, head) =
        story.rebase(&above(numbered(40, &[])), &above(numbered(40, &[(20, "changed\n"), (3, "three\n")])));
    assert_eq!(story.port_to(&base, &head, story.anchor(Left, 20)), current(Left, 21, 13));
    assert_eq!(story.port_to(&base, &head, story.anchor(Right, 20)), current(Right, 21, 14));
}

#[test]
fn a_deletion_that_is_undone_outdates_its_comment() {
    let story = Story::new();
    // Line 20 is back, and in sight because of a change next to it.
    let head = story.push(numbered(40, &[(22, "changed too\n")]));
    assert_eq!(story.reanchor(&head, story.anchor(Left, 20)), Reanchored::Outdated);
    assert_eq!(story.reanchor(&head, story.anchor(Left, 19)), current(Left, 19, 1), "an unchanged line stays one");
}

#[test]
fn new_line_ends_are_changed_lines() {
    let story = Story::of("a\nb\nc\n", "a\nB\nc\n");
    let head = story.push("a\r\nB\r\nc\r\n");
    assert_eq!(story.reanchor(&head, story.anchor(Right, 2)), Reanchored::Outdated);
    let kept = Story::of("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n");
    let head = kept.push("new\r\na\r\nB\r\nc\r\n");
    assert_eq!(kept.reanchor(&head, kept.anchor(Right, 2)), current(Right, 3, 4));
}

#[test]
fn a_last_line_without_an_end_moves_like_any_other() {
    let story = Story::of("a\nb", "a\nc");
    let head = story.push("new\na\nc");
    assert_eq!(story.reanchor(&head, story.anchor(Right, 2)), current(Right, 3, 5));
    let ended = story.push("a\nc\n");
    assert_eq!(story.reanchor(&ended, story.anchor(Right, 2)), Reanchored::Outdated, "the line itself changed");
}

#[test]
fn the_marker_of_a_missing_line_end_takes_a_position() {
    let story = Story::of("a\nb", "a\nc");
    assert_eq!(story.reanchor(&story.head, story.anchor(Left, 2)), current(Left, 2, 2));
    assert_eq!(story.reanchor(&story.head, story.anchor(Right, 2)), current(Right, 2, 4));
}

#[test]
fn a_file_that_becomes_binary_outdates_its_lines() {
    let story = Story::new();
    let head = story.push(b"\0\x01\x02");
    assert_eq!(story.reanchor(&head, story.anchor(Right, 20)), Reanchored::Outdated);
    assert_eq!(story.reanchor(&head, story.anchor(Left, 20)), Reanchored::Outdated, "no line of it is shown");
    let file = Anchor { subject: Subject::File, ..story.anchor(Right, 1) };
    assert_eq!(story.reanchor(&head, file), Reanchored::CurrentFile { path: b"file".to_vec() });
}

#[test]
fn a_line_that_leaves_the_diff_is_outdated() {
    let story = Story::new();
    // The comment was on context, and the change next to it is gone.
    let head = story.push(numbered(40, &[(35, "elsewhere\n")]));
    assert_eq!(story.reanchor(&head, story.anchor(Right, 22)), Reanchored::Outdated);
    assert_eq!(story.reanchor(&head, story.anchor(Left, 22)), Reanchored::Outdated);
}

#[test]
fn a_version_that_is_no_longer_stored_is_outdated() {
    let story = Story::new();
    let gone = "0123456789012345678901234567890123456789".parse().expect("forty digits");
    let anchor = Anchor { base: gone, head: gone, ..story.anchor(Right, 20) };
    assert_eq!(story.reanchor(&story.head, anchor), Reanchored::Outdated);
}

#[test]
fn a_comment_on_a_deleted_file_follows_the_base() {
    let story = Story::new();
    story.repo.git(&["rm", "-q", "file"]);
    let head = story.repo.commit();
    let anchor = Anchor { head, new_path: None, ..story.anchor(Left, 7) };
    assert_eq!(story.reanchor(&head, anchor.clone()), current(Left, 7, 7));
    assert_eq!(story.reanchor(&story.head, anchor.clone()), Reanchored::Outdated);
    let file = Anchor { subject: Subject::File, ..anchor };
    assert_eq!(story.reanchor(&story.head, file), Reanchored::CurrentFile { path: b"file".to_vec() });
}

#[test]
fn many_comments_get_the_answers_they_would_get_alone() {
    let story = Story::new();
    let head = story.push(format!("new\n{}", numbered(40, &[(19, "other\n"), (20, "changed\n"), (33, "")])));
    let repo = story.repo.open();
    let target = Comparison::new(&repo, &story.base, &head).expect("both commits exist");
    let mut anchors = Vec::new();
    for line in (1..=40).rev() {
        anchors.extend([story.anchor(Right, line), story.anchor(Left, line)]);
        anchors.push(story.range((Left, line / 2 + 1), (Right, line)));
    }
    let together = reanchor(&repo, &target, &anchors).expect("a readable repository");
    for (anchor, found) in anchors.into_iter().zip(together) {
        assert_eq!(found, story.reanchor(&head, anchor.clone()), "{anchor:?}");
    }
}

#[test]
fn a_port_names_the_row_that_git_shows() {
    let story = Story::new();
    let head = story.push(numbered(40, &[(2, ""), (20, "changed\n"), (21, "new\nline 21\n")]));
    let Reanchored::Current { line, position, .. } = story.reanchor(&head, story.anchor(Right, 20)) else {
        panic!("it is there")
    };
    let diff = FileDiff::between(numbered(40, &[]).as_bytes(), &story.repo.git(&["show", &format!("{head}:file")]));
    assert_eq!(diff.line_at(position), Some((Right, line)));
    assert!(diff.diff_hunk(Right, line).expect("it is shown").ends_with(b"\n+changed"));
}
