//! Re-anchoring of a comment on several lines: its end decides, and its start is moved if possible.

use super::fixture::{Fixture, current_range, numbered};
use crate::diff::Reanchored;
use crate::diff::Side::{Left, Right};

#[test]
fn range_over_both_sides_keeps_both_ends() {
    let fixture = Fixture::new();
    let head = fixture.push(format!("new\n{}", numbered(40, &[(20, "changed\n")])));
    let range = fixture.range((Left, 20), (Right, 20));
    assert_eq!(fixture.reanchor(&fixture.head, range.clone()), current_range(Some((Left, 20)), (Right, 20), 5));
    assert_eq!(fixture.reanchor(&head, range), current_range(Some((Left, 20)), (Right, 21), 10));
}

#[test]
fn range_without_its_start_begins_at_next_remaining_line() {
    let fixture = Fixture::new();
    let head = fixture.push(numbered(40, &[(18, "rewritten\n"), (20, "changed\n")]));
    let range = fixture.range((Right, 18), (Right, 21));
    assert_eq!(fixture.reanchor(&head, range), current_range(Some((Right, 19)), (Right, 21), 9));
}

#[test]
fn split_range_begins_in_hunk_of_its_end() {
    let fixture = Fixture::new();
    let far = (1..=20).map(|number| format!("far {number}\n")).collect::<String>();
    let base = numbered(40, &[(19, &format!("line 19\n{far}"))]);
    let (base, head) = fixture.rebase(&base, &base.replace("line 20\n", "changed\n"));
    let range = fixture.range((Right, 18), (Right, 21));
    assert_eq!(fixture.reanchor_to(&base, &head, range), current_range(Some((Right, 40)), (Right, 41), 6));
}

#[test]
fn range_over_both_sides_does_not_begin_at_line_below_its_end() {
    let fixture = Fixture::of("top\nold\nmiddle\nlater\nend\n", "top\nnew\nmiddle\nend\n");
    // `later` was below the end of the range; without `old` and `middle` it is directly above it.
    let (base, head) = fixture.rebase("top\nlater\nend\n", "top\nnew\nend\n");
    let range = fixture.range((Left, 2), (Right, 2));
    assert_eq!(fixture.reanchor(&fixture.head, range.clone()), current_range(Some((Left, 2)), (Right, 2), 3));
    assert_eq!(fixture.reanchor_to(&base, &head, range), current_range(None, (Right, 2), 3));
    let fixture = Fixture::of("old\nmiddle\nend\n", "middle\nnew\nend\n");
    let (base, head) = fixture.rebase("old\nend\n", "new\nend\n");
    let range = fixture.range((Left, 1), (Right, 2));
    assert_eq!(fixture.reanchor_to(&base, &head, range), current_range(Some((Left, 1)), (Right, 1), 2));
}

#[test]
fn range_with_only_its_end_is_one_line() {
    let fixture = Fixture::new();
    let head = fixture.push(numbered(40, &[(18, ""), (19, ""), (20, "other\n")]));
    let range = fixture.range((Right, 18), (Right, 21));
    assert_eq!(fixture.reanchor(&head, range), current_range(None, (Right, 19), 8));
}

#[test]
fn range_without_its_end_is_outdated() {
    let fixture = Fixture::new();
    let head = fixture.push(numbered(40, &[(20, "changed\n"), (21, "rewritten\n")]));
    assert_eq!(fixture.reanchor(&head, fixture.range((Right, 19), (Right, 21))), Reanchored::Outdated);
}
