//! The difference of one file, and the three ways to name a row in it: side and line, position, hunk.

use super::entry::{Content, Entry};
use super::source::Source;
use super::text::{RowKind, TextPatch};
use super::tree::{FileChange, Status};
use crate::error::Result;

/// Which version of a file a line number counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Before the change: deleted and unchanged lines.
    Left,
    /// After the change: added and unchanged lines.
    Right,
}

/// What changed in one file, row by row. A position counts rows below the first hunk header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// Nothing for binary files.
    patch: Option<TextPatch>,
}

impl FileDiff {
    /// The difference that a change makes.
    pub fn of(repo: &dyn Source, change: &FileChange) -> Result<Self> {
        // Equal content needs no look at it: a pure rename or a change of mode.
        if let (Some(old), Some(new)) = (&change.old, &change.new)
            && old.id == new.id
        {
            return Ok(Self { patch: Some(TextPatch::default()) });
        }
        let old = content(repo, change.old.as_ref())?;
        let new = content(repo, change.new.as_ref())?;
        let (Content::Text(old), Content::Text(new)) = (old, new) else {
            return Ok(Self { patch: None });
        };
        if change.status() == Status::TypeChanged {
            let mut patch = TextPatch::between(&old, &[]);
            patch.append(TextPatch::between(&[], &new));
            return Ok(Self { patch: Some(patch) });
        }
        Ok(Self::between(&old, &new))
    }

    /// The difference of two texts.
    pub fn between(old: &[u8], new: &[u8]) -> Self {
        Self { patch: Some(TextPatch::between(old, new)) }
    }

    /// Whether there are no lines to compare: no text, or too much of it.
    pub fn is_binary(&self) -> bool {
        self.patch.is_none()
    }

    /// How many lines were added.
    pub fn additions(&self) -> u32 {
        self.patch.as_ref().map_or(0, |patch| patch.additions)
    }

    /// How many lines were deleted.
    pub fn deletions(&self) -> u32 {
        self.patch.as_ref().map_or(0, |patch| patch.deletions)
    }

    /// The hunks without the last line end; nothing if there are none to show.
    pub fn patch(&self) -> Option<&[u8]> {
        self.hunks().strip_suffix(b"\n")
    }

    /// The hunks as `git diff` prints them.
    pub fn hunks(&self) -> &[u8] {
        self.patch.as_ref().map_or(&[], |patch| &patch.bytes)
    }

    /// How many positions there are.
    pub fn position_max(&self) -> u32 {
        self.rows().len().saturating_sub(1) as u32
    }

    /// Where a line is in the patch, if it is shown there on that side.
    pub fn position_of(&self, side: Side, line: u32) -> Option<u32> {
        let rows = self.rows();
        let index = rows.partition_point(|row| match side {
            Side::Left => row.old < line,
            Side::Right => row.new < line,
        });
        match (rows.get(index)?.kind, side) {
            (RowKind::Context, _) | (RowKind::Added, Side::Right) | (RowKind::Deleted, Side::Left) => {
                Some(index as u32)
            }
            // Line zero would be found above the first line.
            _ => None,
        }
    }

    /// The line at a position: a deleted one on the left, any other on the right.
    pub fn line_at(&self, position: u32) -> Option<(Side, u32)> {
        let row = self.rows().get(position as usize)?;
        match row.kind {
            RowKind::Added | RowKind::Context => Some((Side::Right, row.new)),
            RowKind::Deleted => Some((Side::Left, row.old)),
            RowKind::Header | RowKind::NoNewline => None,
        }
    }

    /// What the row at a position is; position 0 is the first header.
    pub fn kind_at(&self, position: u32) -> Option<RowKind> {
        self.rows().get(position as usize).map(|row| row.kind)
    }

    /// The position of the header of the hunk that a position is in.
    pub fn hunk_of(&self, position: u32) -> Option<u32> {
        let rows = self.rows().get(..=position as usize)?;
        rows.iter().rposition(|row| row.kind == RowKind::Header).map(|header| header as u32)
    }

    /// Whether two lines are shown in one hunk.
    pub fn is_same_hunk(&self, one: (Side, u32), other: (Side, u32)) -> bool {
        let hunk = |(side, line)| self.hunk_of(self.position_of(side, line)?);
        hunk(one).is_some_and(|header| hunk(other) == Some(header))
    }

    /// The hunk of a line, from its header down to that line.
    pub fn diff_hunk(&self, side: Side, line: u32) -> Option<&[u8]> {
        let position = self.position_of(side, line)?;
        let header = self.hunk_of(position)? as usize;
        let start = header.checked_sub(1).map_or(0, |above| self.rows()[above].end);
        self.hunks()[start..self.rows()[position as usize].end].strip_suffix(b"\n")
    }

    /// The line of one side at a position, where a row of context has one on each.
    pub(super) fn line_on(&self, side: Side, position: u32) -> Option<u32> {
        let row = self.rows().get(position as usize)?;
        match (row.kind, side) {
            (RowKind::Context | RowKind::Added, Side::Right) => Some(row.new),
            (RowKind::Context | RowKind::Deleted, Side::Left) => Some(row.old),
            _ => None,
        }
    }

    /// What it takes in memory.
    pub(super) fn byte_count(&self) -> usize {
        size_of::<Self>() + self.hunks().len() + size_of_val(self.rows())
    }

    fn rows(&self) -> &[super::text::Row] {
        self.patch.as_ref().map_or(&[], |patch| &patch.rows)
    }
}

fn content(repo: &dyn Source, entry: Option<&Entry>) -> Result<Content> {
    entry.map_or(Ok(Content::Text(Vec::new())), |entry| entry.content(repo))
}
