//! Myers' search for changed lines, with git's heuristics (docs/decisions/0131-diff-engine.md).
//!
//! The result must be the one that `git diff` finds, not any shortest one, so the thresholds are git's and the order in
//! which diagonals are visited matters.

#![expect(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "diagonals are signed, and texts have at most 100,000 lines"
)]

use super::LinePair;
use super::prune::{self, Searched};
use crate::budget::Budget;
use plinth_base::error::Result;

/// Searches of a lower cost are never aborted.
const COST_FLOOR: i32 = 256;
/// From this cost on, a promising path is taken without proof that it is the best.
const HEURISTIC_COST: i32 = 256;
/// So many equal lines in a row make a path promising.
const SNAKE_LENGTH: i32 = 20;
/// A promising path has come this many times further than it has cost.
const PROGRESS_FACTOR: i32 = 4;

/// Marks, for each side, the lines that have no counterpart on the other.
pub(super) fn changed_lines(budget: &Budget, lines: &LinePair<'_>) -> Result<(Vec<bool>, Vec<bool>)> {
    let mut old_changed = vec![false; lines.old.len()];
    let mut new_changed = vec![false; lines.new.len()];
    let (old, new) = prune::searched_lines(lines, &mut old_changed, &mut new_changed);

    let mut search = Search::new(budget, &old, &new);
    let whole = Area { old: (0, old.ids.len() as i32), new: (0, new.ids.len() as i32), exact: false };
    let mut pending = vec![whole];
    while let Some(area) = pending.pop() {
        let area = search.shrink(area);
        if area.old.0 == area.old.1 {
            mark(&mut new_changed, &new, area.new);
        } else if area.new.0 == area.new.1 {
            mark(&mut old_changed, &old, area.old);
        } else {
            pending.extend(search.split(&area)?.halves(&area));
        }
    }
    Ok((old_changed, new_changed))
}

fn mark(changed: &mut [bool], searched: &Searched, range: (i32, i32)) {
    for &line in &searched.lines[range.0 as usize..range.1 as usize] {
        changed[line as usize] = true;
    }
}

/// A rectangle of lines that still has to be compared.
struct Area {
    old: (i32, i32),
    new: (i32, i32),
    /// The shortest path is needed: no heuristics.
    exact: bool,
}

/// A point on a shortest, or a good enough, path through an area.
struct Crossing {
    old: i32,
    new: i32,
    before_exact: bool,
    after_exact: bool,
}

impl Crossing {
    fn halves(&self, area: &Area) -> [Area; 2] {
        [
            Area { old: (area.old.0, self.old), new: (area.new.0, self.new), exact: self.before_exact },
            Area { old: (self.old, area.old.1), new: (self.new, area.new.1), exact: self.after_exact },
        ]
    }
}

/// The furthest point on each diagonal, in one direction. A diagonal is `old - new`.
struct Frontier {
    furthest: Vec<i32>,
    zero: i32,
    low: i32,
    high: i32,
    middle: i32,
    unreached: i32,
}

impl Frontier {
    fn new(old_count: usize, new_count: usize, unreached: i32) -> Self {
        let furthest = vec![0; old_count + new_count + 3];
        Self { furthest, zero: new_count as i32 + 1, low: 0, high: 0, middle: 0, unreached }
    }

    fn start(&mut self, old: i32, new: i32) {
        self.middle = old - new;
        (self.low, self.high) = (self.middle, self.middle);
        self.set(self.middle, old);
    }

    fn at(&self, diagonal: i32) -> i32 {
        self.furthest[(diagonal + self.zero) as usize]
    }

    fn set(&mut self, diagonal: i32, old: i32) {
        self.furthest[(diagonal + self.zero) as usize] = old;
    }

    /// One diagonal more on each side, or one less where the area ends, so that only every second one is visited.
    fn widen(&mut self, lowest: i32, highest: i32) {
        if self.low > lowest {
            self.low -= 1;
            self.set(self.low - 1, self.unreached);
        } else {
            self.low += 1;
        }
        if self.high < highest {
            self.high += 1;
            self.set(self.high + 1, self.unreached);
        } else {
            self.high -= 1;
        }
    }

    fn diagonals(&self) -> impl Iterator<Item = i32> + use<> {
        let high = self.high;
        (0..(high - self.low) / 2 + 1).map(move |step| high - 2 * step)
    }

    fn has(&self, diagonal: i32) -> bool {
        (self.low..=self.high).contains(&diagonal)
    }
}

struct Search<'a> {
    budget: &'a Budget,
    old: &'a [u32],
    new: &'a [u32],
    forward: Frontier,
    backward: Frontier,
    cost_max: i32,
}

impl<'a> Search<'a> {
    fn new(budget: &'a Budget, old: &'a Searched, new: &'a Searched) -> Self {
        let (old, new) = (&old.ids[..], &new.ids[..]);
        let diagonals = old.len() + new.len() + 3;
        Self {
            budget,
            old,
            new,
            forward: Frontier::new(old.len(), new.len(), -1),
            backward: Frontier::new(old.len(), new.len(), i32::MAX),
            cost_max: (prune::rough_root(diagonals) as i32).max(COST_FLOOR),
        }
    }

    fn same(&self, old: i32, new: i32) -> bool {
        self.old[old as usize] == self.new[new as usize]
    }

    fn shrink(&self, mut area: Area) -> Area {
        while area.old.0 < area.old.1 && area.new.0 < area.new.1 && self.same(area.old.0, area.new.0) {
            area.old.0 += 1;
            area.new.0 += 1;
        }
        while area.old.0 < area.old.1 && area.new.0 < area.new.1 && self.same(area.old.1 - 1, area.new.1 - 1) {
            area.old.1 -= 1;
            area.new.1 -= 1;
        }
        area
    }

    /// Searches from both corners until the two meet, or until a heuristic aborts the search.
    fn split(&mut self, area: &Area) -> Result<Crossing> {
        let (lowest, highest) = (area.old.0 - area.new.1, area.old.1 - area.new.0);
        self.forward.start(area.old.0, area.new.0);
        self.backward.start(area.old.1, area.new.1);
        let meets_forward = (self.forward.middle - self.backward.middle) % 2 != 0;

        let mut cost = 1;
        loop {
            let mut snake = false;
            self.budget.compare(2 * cost as u64)?;
            self.forward.widen(lowest, highest);
            for diagonal in self.forward.diagonals() {
                let old = self.step_forward(area, diagonal, &mut snake);
                if meets_forward && self.backward.has(diagonal) && self.backward.at(diagonal) <= old {
                    return Ok(Crossing { old, new: old - diagonal, before_exact: true, after_exact: true });
                }
            }
            self.backward.widen(lowest, highest);
            for diagonal in self.backward.diagonals() {
                let old = self.step_backward(area, diagonal, &mut snake);
                if !meets_forward && self.forward.has(diagonal) && old <= self.forward.at(diagonal) {
                    return Ok(Crossing { old, new: old - diagonal, before_exact: true, after_exact: true });
                }
            }
            if !area.exact {
                let promising = if snake && cost > HEURISTIC_COST { self.promising(area, cost) } else { None };
                if let Some(crossing) = promising {
                    return Ok(crossing);
                }
                if cost >= self.cost_max {
                    return Ok(self.furthest(area));
                }
            }
            cost += 1;
        }
    }

    fn step_forward(&mut self, area: &Area, diagonal: i32, snake: &mut bool) -> i32 {
        let (below, above) = (self.forward.at(diagonal - 1), self.forward.at(diagonal + 1));
        let from = if below >= above { below + 1 } else { above };
        let mut old = from;
        while old < area.old.1 && old - diagonal < area.new.1 && self.same(old, old - diagonal) {
            old += 1;
        }
        *snake |= old - from > SNAKE_LENGTH;
        self.forward.set(diagonal, old);
        old
    }

    fn step_backward(&mut self, area: &Area, diagonal: i32, snake: &mut bool) -> i32 {
        let (below, above) = (self.backward.at(diagonal - 1), self.backward.at(diagonal + 1));
        let from = if below < above { below } else { above - 1 };
        let mut old = from;
        while old > area.old.0 && old - diagonal > area.new.0 && self.same(old - 1, old - diagonal - 1) {
            old -= 1;
        }
        *snake |= from - old > SNAKE_LENGTH;
        self.backward.set(diagonal, old);
        old
    }

    /// The path that has come far for its cost and ends in a long run of equal lines, if there is one.
    fn promising(&self, area: &Area, cost: i32) -> Option<Crossing> {
        let mut best = PROGRESS_FACTOR * cost;
        let mut found = None;
        for diagonal in self.forward.diagonals() {
            let old = self.forward.at(diagonal);
            let new = old - diagonal;
            let progress = (old - area.old.0) + (new - area.new.0) - (diagonal - self.forward.middle).abs();
            let inside = area.old.0 + SNAKE_LENGTH <= old
                && old < area.old.1
                && area.new.0 + SNAKE_LENGTH <= new
                && new < area.new.1;
            if progress > best && inside && (1..=SNAKE_LENGTH).all(|back| self.same(old - back, new - back)) {
                best = progress;
                found = Some(Crossing { old, new, before_exact: true, after_exact: false });
            }
        }
        if found.is_some() {
            return found;
        }
        for diagonal in self.backward.diagonals() {
            let old = self.backward.at(diagonal);
            let new = old - diagonal;
            let progress = (area.old.1 - old) + (area.new.1 - new) - (diagonal - self.backward.middle).abs();
            let inside = area.old.0 < old
                && old <= area.old.1 - SNAKE_LENGTH
                && area.new.0 < new
                && new <= area.new.1 - SNAKE_LENGTH;
            if progress > best && inside && (0..SNAKE_LENGTH).all(|ahead| self.same(old + ahead, new + ahead)) {
                best = progress;
                found = Some(Crossing { old, new, before_exact: false, after_exact: true });
            }
        }
        found
    }

    /// The end of the path that has come furthest, for a search that is aborted.
    fn furthest(&self, area: &Area) -> Crossing {
        let (mut forward_sum, mut forward_old) = (-1, -1);
        for diagonal in self.forward.diagonals() {
            let old = self.forward.at(diagonal).min(area.old.1).min(area.new.1 + diagonal);
            if old + old - diagonal > forward_sum {
                (forward_sum, forward_old) = (old + old - diagonal, old);
            }
        }
        let (mut backward_sum, mut backward_old) = (i32::MAX, i32::MAX);
        for diagonal in self.backward.diagonals() {
            let old = self.backward.at(diagonal).max(area.old.0).max(area.new.0 + diagonal);
            if old + old - diagonal < backward_sum {
                (backward_sum, backward_old) = (old + old - diagonal, old);
            }
        }
        if area.old.1 + area.new.1 - backward_sum < forward_sum - (area.old.0 + area.new.0) {
            Crossing { old: forward_old, new: forward_sum - forward_old, before_exact: true, after_exact: false }
        } else {
            Crossing { old: backward_old, new: backward_sum - backward_old, before_exact: false, after_exact: true }
        }
    }
}
