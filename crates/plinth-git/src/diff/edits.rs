//! The changed runs of lines between two texts.

use std::ops::Range;

use super::lines::LinePair;
use super::{myers, slide};
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
