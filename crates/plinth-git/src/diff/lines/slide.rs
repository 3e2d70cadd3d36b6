//! Slides groups of changed lines to the position where git shows them, if several are equivalent.

use super::indent;
use super::{LinePair, Lines};
use crate::budget::Budget;
use plinth_base::error::Result;

/// The indent heuristic slides a group no further than this.
const SLIDE_MAX: usize = 100;

/// Moves the changed lines of both sides to where git would show them.
pub(super) fn settle(
    budget: &Budget,
    lines: &LinePair<'_>,
    old_changed: &mut [bool],
    new_changed: &mut [bool],
) -> Result<()> {
    settle_side(budget, (&lines.old, old_changed), (&lines.new, new_changed))?;
    settle_side(budget, (&lines.new, new_changed), (&lines.old, old_changed))
}

/// The lines of one text, and which of them changed.
type Marked<'a> = (&'a Lines<'a>, &'a mut [bool]);

/// Groups of both sides come in pairs, one pair between any two unchanged lines; most are empty.
fn settle_side(budget: &Budget, (lines, changed): Marked<'_>, (other_lines, other_changed): Marked<'_>) -> Result<()> {
    let mut group = Group::first(&lines.ids, changed);
    let mut other = Group::first(&other_lines.ids, other_changed);
    loop {
        if !group.is_empty() {
            settle_group(budget, lines, &mut group, &mut other)?;
        }
        if !group.advance() {
            return Ok(());
        }
        other.advance();
    }
}

fn settle_group(budget: &Budget, lines: &Lines<'_>, group: &mut Group<'_>, other: &mut Group<'_>) -> Result<()> {
    let mut meets_other;
    let mut highest_end;
    let mut size;
    // A group may merge with a neighbour, and the larger group may slide further.
    loop {
        size = group.len();
        while group.slide_up() {
            budget.compare(1)?;
            other.retreat();
        }
        highest_end = group.end;
        meets_other = !other.is_empty();
        while group.slide_down() {
            budget.compare(1)?;
            other.advance();
            meets_other |= !other.is_empty();
        }
        if size == group.len() {
            break;
        }
    }

    if group.end == highest_end {
        return Ok(());
    }
    if meets_other {
        // Aligned with a change of the other side, it becomes one replacement.
        while other.is_empty() && group.slide_up() {
            other.retreat();
        }
        return Ok(());
    }
    let nearest = highest_end.max((group.end - 1).saturating_sub(size)).max(group.end.saturating_sub(SLIDE_MAX));
    let best = indent::best_end(lines, nearest..=group.end, size);
    while group.end > best && group.slide_up() {
        other.retreat();
    }
    Ok(())
}

/// A run of changed lines of one side, possibly empty, with the marks that it moves.
struct Group<'a> {
    ids: &'a [u32],
    changed: &'a mut [bool],
    start: usize,
    end: usize,
}

impl<'a> Group<'a> {
    fn first(ids: &'a [u32], changed: &'a mut [bool]) -> Self {
        let mut group = Self { ids, changed, start: 0, end: 0 };
        group.extend_down();
        group
    }

    fn len(&self) -> usize {
        self.end - self.start
    }

    fn is_empty(&self) -> bool {
        self.start == self.end
    }

    fn advance(&mut self) -> bool {
        if self.end == self.ids.len() {
            return false;
        }
        self.start = self.end + 1;
        self.end = self.start;
        self.extend_down();
        true
    }

    fn retreat(&mut self) {
        if self.start > 0 {
            self.end = self.start - 1;
            self.start = self.end;
            self.extend_up();
        }
    }

    fn slide_down(&mut self) -> bool {
        if self.end == self.ids.len() || self.ids[self.start] != self.ids[self.end] {
            return false;
        }
        self.changed[self.start] = false;
        self.changed[self.end] = true;
        self.start += 1;
        self.end += 1;
        self.extend_down();
        true
    }

    fn slide_up(&mut self) -> bool {
        if self.start == 0 || self.ids[self.start - 1] != self.ids[self.end - 1] {
            return false;
        }
        self.start -= 1;
        self.end -= 1;
        self.changed[self.start] = true;
        self.changed[self.end] = false;
        self.extend_up();
        true
    }

    fn extend_down(&mut self) {
        while self.changed.get(self.end) == Some(&true) {
            self.end += 1;
        }
    }

    fn extend_up(&mut self) {
        while self.start > 0 && self.changed[self.start - 1] {
            self.start -= 1;
        }
    }
}
