//! What becomes of a comment on several lines: its end decides, and its start follows as far as it can.

use super::story::{Story, current_range, numbered};
use crate::diff::Reanchored;
use crate::diff::Side::{Left, Right};

#[test]
fn a_range_over_both_sides_keeps_both_ends() {
    let story = Story::new();
    let head = story.push(format!("new\n{}", numbered(40, &[(20, "changed\n")])));
    let range = story.range((Left, 20), (Right, 20));
    assert_eq!(story.reanchor(&story.head, range.clone()), current_range(Some((Left, 20)), (Right, 20), 5));
    assert_eq!(story.reanchor(&head, range), current_range(Some((Left, 20)), (Right, 21), 10));
}

#[test]
fn a_range_that_lost_its_start_begins_at_the_next_line_that_is_left() {
    let story = Story::new();
    let head = story.push(numbered(40, &[(18, "rewritten\n"), (20, "changed\n")]));
    let range = story.range((Right, 18), (Right, 21));
    assert_eq!(story.reanchor(&head, range), current_range(Some((Right, 19)), (Right, 21), 9));
}

#[test]
fn a_range_that_is_torn_apart_begins_in_the_hunk_of_its_end() {
    let story = Story::new();
    let far = (1..=20).map(|number| format!("far {number}\n")).collect::<String>();
    let base = numbered(40, &[(19, &format!("line 19\n{far}"))]);
    let (base, head) = story.rebase(&base, &base.replace("line 20\n", "changed\n"));
    let range = story.range((Right, 18), (Right, 21));
    assert_eq!(story.port_to(&base, &head, range), current_range(Some((Right, 40)), (Right, 41), 6));
}

#[test]
fn a_range_of_which_only_the_end_is_left_is_one_line() {
    let story = Story::new();
    let head = story.push(numbered(40, &[(18, ""), (19, ""), (20, "other\n")]));
    let range = story.range((Right, 18), (Right, 21));
    assert_eq!(story.reanchor(&head, range), current_range(None, (Right, 19), 8));
}

#[test]
fn a_range_that_lost_its_end_is_outdated() {
    let story = Story::new();
    let head = story.push(numbered(40, &[(20, "changed\n"), (21, "rewritten\n")]));
    assert_eq!(story.reanchor(&head, story.range((Right, 19), (Right, 21))), Reanchored::Outdated);
}
