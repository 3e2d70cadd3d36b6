//! Excludes lines from the search: equal ends, lines without a counterpart, and frequent lines among those.

use super::LinePair;

/// In a file of any size, a line that is this often on the other side counts as frequent.
const FREQUENT_MAX: u32 = 1024;
/// Neighbours of a frequent line that are considered, in each direction.
const NEIGHBOURHOOD: usize = 100;
/// A frequent line is excluded if fewer than one in this many of its neighbours are frequent.
const FREQUENT_SHARE: usize = 4;

/// The lines of one side that are searched: their numbers and their ids.
#[derive(Debug, Default)]
pub(super) struct Searched {
    pub lines: Vec<u32>,
    pub ids: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Matches {
    None,
    Some,
    Many,
}

/// Selects the lines to search, and marks excluded ones as changed.
pub(super) fn searched_lines(
    lines: &LinePair<'_>,
    old_changed: &mut [bool],
    new_changed: &mut [bool],
) -> (Searched, Searched) {
    let (old, new) = (&lines.old.ids, &lines.new.ids);
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();

    let old_searched = select(old, head, tail, &occurrences(new, lines.distinct), old_changed);
    let new_searched = select(new, head, tail, &occurrences(old, lines.distinct), new_changed);
    (old_searched, new_searched)
}

/// A power of two that is near the square root, as git estimates it.
pub(super) fn rough_root(number: usize) -> usize {
    let mut root = 1;
    let mut rest = number;
    while rest > 0 {
        root <<= 1;
        rest >>= 2;
    }
    root
}

fn occurrences(ids: &[u32], distinct: usize) -> Vec<u32> {
    let mut counts = vec![0; distinct];
    for &id in ids {
        counts[id as usize] += 1;
    }
    counts
}

fn select(ids: &[u32], head: usize, tail: usize, elsewhere: &[u32], changed: &mut [bool]) -> Searched {
    let frequent = (rough_root(ids.len()) as u32).min(FREQUENT_MAX);
    let middle = &ids[head..ids.len() - tail];
    let matches: Vec<Matches> = middle
        .iter()
        .map(|&id| match elsewhere[id as usize] {
            0 => Matches::None,
            count if count >= frequent => Matches::Many,
            _ => Matches::Some,
        })
        .collect();

    let mut searched = Searched::default();
    for (index, &id) in middle.iter().enumerate() {
        let is_searched = match matches[index] {
            Matches::None => false,
            Matches::Some => true,
            Matches::Many => !is_noise(&matches, index),
        };
        if is_searched {
            searched.lines.push((head + index) as u32);
            searched.ids.push(id);
        } else {
            changed[head + index] = true;
        }
    }
    searched
}

/// A frequent line, such as a closing brace, inside a run of unmatched lines would only pair up by accident.
fn is_noise(matches: &[Matches], index: usize) -> bool {
    let above = &matches[index.saturating_sub(NEIGHBOURHOOD)..index];
    let below = &matches[index + 1..matches.len().min(index + NEIGHBOURHOOD + 1)];
    let (none_above, many_above) = run(above.iter().rev());
    let (none_below, many_below) = run(below.iter());
    if none_above == 0 || none_below == 0 {
        return false;
    }
    // The line itself counts once in each direction.
    let many = many_above + many_below + 2;
    many * FREQUENT_SHARE < many + none_above + none_below
}

fn run<'a>(neighbours: impl Iterator<Item = &'a Matches>) -> (usize, usize) {
    let (mut none, mut many) = (0, 0);
    for neighbour in neighbours {
        match neighbour {
            Matches::None => none += 1,
            Matches::Many => many += 1,
            Matches::Some => break,
        }
    }
    (none, many)
}
