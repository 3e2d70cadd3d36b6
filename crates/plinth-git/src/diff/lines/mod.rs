//! The changed lines between two texts, exactly as `git diff` finds them: Myers' algorithm with git's heuristics.

mod indent;
mod myers;
mod prune;
mod slide;

use std::collections::HashMap;
use std::ops::Range;

use crate::budget::Budget;
use plinth_base::error::Result;

/// Lines `old` were replaced by lines `new`, counted from zero; one of the two may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub old: Range<u32>,
    pub new: Range<u32>,
}

/// The edits that turn `old` into `new`, from top to bottom, as git sees them.
pub(super) fn edits(budget: &Budget, old: &[u8], new: &[u8]) -> Result<Vec<Edit>> {
    edits_of(budget, &LinePair::new(old, new))
}

pub(super) fn edits_of(budget: &Budget, lines: &LinePair<'_>) -> Result<Vec<Edit>> {
    let (mut old_changed, mut new_changed) = myers::changed_lines(budget, lines)?;
    slide::settle(budget, lines, &mut old_changed, &mut new_changed)?;
    Ok(collect(&old_changed, &new_changed))
}

fn collect(old_changed: &[bool], new_changed: &[bool]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let (mut old, mut new) = (0, 0);
    while old < old_changed.len() || new < new_changed.len() {
        let old_end = old + old_changed[old..].iter().take_while(|&&changed| changed).count();
        let new_end = new + new_changed[new..].iter().take_while(|&&changed| changed).count();
        if old_end > old || new_end > new {
            edits.push(Edit { old: old as u32..old_end as u32, new: new as u32..new_end as u32 });
        }
        (old, new) = ((old_end + 1).min(old_changed.len()), (new_end + 1).min(new_changed.len()));
    }
    edits
}

/// The lines of one text, each with its line end, and the number of each line's content.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    pub text: Vec<&'a [u8]>,
    pub ids: Vec<u32>,
}

/// Two texts whose lines are numbered by the same table.
#[derive(Debug)]
pub(super) struct LinePair<'a> {
    pub old: Lines<'a>,
    pub new: Lines<'a>,
    pub distinct: usize,
}

impl<'a> LinePair<'a> {
    pub fn new(old: &'a [u8], new: &'a [u8]) -> Self {
        let (old, new) = (split(old), split(new));
        let mut numbers = HashMap::with_capacity(old.len().max(new.len()));
        let old = Lines::number(old, &mut numbers);
        let new = Lines::number(new, &mut numbers);
        Self { old, new, distinct: numbers.len() }
    }
}

impl<'a> Lines<'a> {
    fn number(text: Vec<&'a [u8]>, numbers: &mut HashMap<&'a [u8], u32>) -> Self {
        let ids = text
            .iter()
            .map(|line| {
                let next = numbers.len() as u32;
                *numbers.entry(line).or_insert(next)
            })
            .collect();
        Self { text, ids }
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }
}

fn split(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n').collect()
}
