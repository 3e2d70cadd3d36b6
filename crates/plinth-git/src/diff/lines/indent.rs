//! Git's indent heuristic: of several equivalent positions, the one whose borders look most like borders of blocks.
//!
//! The weights are git's, found by experiment; only their proportions matter.

use std::ops::RangeInclusive;

use super::Lines;

/// Deeper indentation than this counts as this much.
const INDENT_MAX: i32 = 200;
/// More blank lines in a row than this are not counted.
const BLANKS_MAX: i32 = 20;
const TAB_WIDTH: i32 = 8;

const START_OF_FILE: i32 = 1;
const END_OF_FILE: i32 = 21;
const BLANK_AROUND: i32 = -30;
const BLANK_BELOW: i32 = 6;
const INDENTED: [i32; 2] = [-4, 10];
const OUTDENTED: [i32; 2] = [24, 17];
const DEDENTED: [i32; 2] = [23, 17];
const INDENT_WEIGHT: i32 = 60;

/// The best end, among `ends`, of a group of `size` lines; the last one wins a tie.
pub(super) fn best_end(lines: &Lines<'_>, ends: RangeInclusive<usize>, size: usize) -> usize {
    let mut best = (*ends.end(), None::<Badness>);
    for end in ends {
        let badness = Badness::of(lines, end).plus(Badness::of(lines, end - size));
        if best.1.as_ref().is_none_or(|so_far| !so_far.is_better_than(&badness)) {
            best = (end, Some(badness));
        }
    }
    best.0
}

/// How unnatural it is to split a text above a line.
struct Badness {
    indent: i32,
    penalty: i32,
}

impl Badness {
    fn of(lines: &Lines<'_>, line: usize) -> Self {
        let own = lines.text.get(line).and_then(|text| indent(text));
        let (above, blank_above) = nearest(lines.text[..line].iter().rev());
        let (below, blank_below) = nearest(lines.text.iter().skip(line + 1));
        let blank_below = if own.is_none() { 1 + blank_below } else { 0 };
        let blanks = blank_above + blank_below;
        let any_blank = usize::from(blanks != 0);

        let mut penalty = BLANK_AROUND * blanks + BLANK_BELOW * blank_below;
        if above.is_none() && blank_above == 0 {
            penalty += START_OF_FILE;
        }
        if line >= lines.len() {
            penalty += END_OF_FILE;
        }
        let effective = own.or(below);
        if let (Some(here), Some(above)) = (effective, above) {
            penalty += match here.cmp(&above) {
                std::cmp::Ordering::Greater => INDENTED[any_blank],
                std::cmp::Ordering::Equal => 0,
                std::cmp::Ordering::Less if below.is_some_and(|below| below > here) => OUTDENTED[any_blank],
                std::cmp::Ordering::Less => DEDENTED[any_blank],
            };
        }
        Self { indent: effective.unwrap_or(-1), penalty }
    }

    fn plus(self, other: Self) -> Self {
        Self { indent: self.indent + other.indent, penalty: self.penalty + other.penalty }
    }

    fn is_better_than(&self, other: &Self) -> bool {
        let indents = self.indent.cmp(&other.indent) as i32;
        INDENT_WEIGHT * indents + self.penalty - other.penalty < 0
    }
}

/// The columns before the first visible character; `None` if the line is blank.
fn indent(line: &[u8]) -> Option<i32> {
    let mut columns = 0;
    for &byte in line {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += TAB_WIDTH - columns % TAB_WIDTH,
            b'\n' | b'\r' => {}
            _ => return Some(columns),
        }
        if columns >= INDENT_MAX {
            return Some(INDENT_MAX);
        }
    }
    None
}

/// The indent of the nearest line that is not blank, and the number of blank lines before it.
fn nearest<'a>(lines: impl Iterator<Item = &'a &'a [u8]>) -> (Option<i32>, i32) {
    let mut blanks = 0;
    for line in lines {
        if let Some(columns) = indent(line) {
            return (Some(columns), blanks);
        }
        blanks += 1;
        if blanks == BLANKS_MAX {
            return (Some(0), blanks);
        }
    }
    (None, blanks)
}
