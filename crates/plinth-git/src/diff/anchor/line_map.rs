//! Line numbers of one version of a file in another. Lines count from one, edits from zero.

#![expect(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "shifts of lines are signed, and texts have at most 100,000 lines"
)]

use crate::diff::lines::Edit;

/// How the lines of a file moved.
#[derive(Debug, Clone)]
pub(super) enum LineMap {
    /// The file is the same.
    Same,
    Edited(Vec<Edit>),
    /// Nothing is left, or it has no lines.
    Gone,
}

impl LineMap {
    /// The new numbers of sorted lines, in one pass over lines and edits.
    pub fn forward(&self, lines: &[u32]) -> Vec<Option<u32>> {
        let edits = match self {
            LineMap::Same => return lines.iter().copied().map(Some).collect(),
            LineMap::Gone => return vec![None; lines.len()],
            LineMap::Edited(edits) => edits,
        };
        let mut edits = edits.iter().peekable();
        let mut shift = 0;
        let mut moved = Vec::with_capacity(lines.len());
        for &line in lines {
            while let Some(edit) = edits.next_if(|edit| edit.old.end < line) {
                shift += edit.new.len() as i64 - edit.old.len() as i64;
            }
            let is_inside = edits.peek().is_some_and(|edit| edit.old.start < line);
            moved.push((!is_inside).then(|| (i64::from(line) + shift) as u32));
        }
        moved
    }

    /// The old number of a line, unless it is new.
    pub fn backward(&self, line: u32) -> Option<u32> {
        let edits = match self {
            LineMap::Same => return Some(line),
            LineMap::Gone => return None,
            LineMap::Edited(edits) => edits,
        };
        let next = edits.partition_point(|edit| edit.new.end < line);
        let is_inside = edits.get(next).is_some_and(|edit| edit.new.start < line);
        let offset =
            next.checked_sub(1).map_or(0, |above| i64::from(edits[above].old.end) - i64::from(edits[above].new.end));
        (!is_inside).then(|| (i64::from(line) + offset) as u32)
    }

    /// The number of new lines above an old line, in a diff of both; `None` if there is nothing to compare.
    pub fn new_lines_above(&self, line: u32) -> Option<u32> {
        let edits = match self {
            LineMap::Same => return Some(line - 1),
            LineMap::Gone => return None,
            LineMap::Edited(edits) => edits,
        };
        let next = edits.partition_point(|edit| edit.old.end < line);
        match edits.get(next).filter(|edit| edit.old.start < line) {
            Some(edit) => Some(edit.new.start),
            None => self.forward(&[line])[0].map(|now| now - 1),
        }
    }

    /// Whether a line was replaced or deleted.
    pub fn is_lost(&self, line: u32) -> bool {
        match self {
            LineMap::Same => false,
            LineMap::Gone => true,
            LineMap::Edited(edits) => {
                let next = edits.partition_point(|edit| edit.old.end < line);
                edits.get(next).is_some_and(|edit| edit.old.start < line)
            }
        }
    }
}
