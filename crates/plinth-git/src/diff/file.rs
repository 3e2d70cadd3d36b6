//! The diff of one file, with rows addressed by side and line, by position, or by hunk.

use super::change::{FileChange, Status};
use super::entry::{Content, Entry, Text};
use super::patch::{RowKind, TextPatch};
use super::source::Source;
use crate::budget::{AttachedReservation, Budget};
use plinth_base::error::Result;

/// Which version of a file a line number counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Before the change: deleted and unchanged lines.
    Left,
    /// After the change: added and unchanged lines.
    Right,
}

/// The diff of one file. A position counts rows below the first hunk header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// Nothing for binary files.
    patch: Option<TextPatch>,
    additions: u32,
    deletions: u32,
    compared_bytes: u64,
    reservation: AttachedReservation,
}

/// Larger diffs are not cached, so that a few of them do not evict all others.
pub(super) const CACHED_BYTES_MAX: usize = 1024 * 1024;

impl FileDiff {
    /// The diff of a change.
    pub fn of(repo: &dyn Source, change: &FileChange) -> Result<Self> {
        // Equal content is not read: a pure rename or a change of mode.
        if let (Some(old), Some(new)) = (&change.old, &change.new)
            && old.id == new.id
        {
            return Ok(Self { patch: Some(TextPatch::default()), ..Self::without_lines() });
        }
        let old = content(repo, change.old.as_ref())?;
        let new = content(repo, change.new.as_ref())?;
        let (Content::Text(old), Content::Text(new)) = (old, new) else {
            return Ok(Self::without_lines());
        };
        let budget = repo.budget();
        let bytes = (old.len() + new.len()) as u64;
        // The patch is at most as large as both texts, and finding the changed lines needs as much again.
        let mut reserved = budget.reserve(bytes * 2)?;
        let patch = if change.status() == Status::TypeChanged {
            let mut patch = TextPatch::between(budget, &old, &[])?;
            patch.append(TextPatch::between(budget, &[], &new)?);
            patch
        } else {
            TextPatch::between(budget, &old, &new)?
        };
        let mut diff = Self::with_lines(patch, bytes);
        match diff.byte_count() {
            small if small <= CACHED_BYTES_MAX => {}
            large => {
                reserved.iter_mut().for_each(|reserved| reserved.shrink(large as u64));
                diff.reservation = reserved.into();
            }
        }
        Ok(diff)
    }

    /// The diff of two texts.
    pub fn between(old: &[u8], new: &[u8]) -> Self {
        let patch = TextPatch::between(Budget::unlimited(), old, new).expect("there is no limit to exceed");
        Self::with_lines(patch, (old.len() + new.len()) as u64)
    }

    fn with_lines(patch: TextPatch, compared_bytes: u64) -> Self {
        let (additions, deletions) = (patch.additions, patch.deletions);
        Self { patch: Some(patch), additions, deletions, compared_bytes, reservation: AttachedReservation::default() }
    }

    /// The diff of a file whose lines are not compared.
    pub fn without_lines() -> Self {
        Self { patch: None, additions: 0, deletions: 0, compared_bytes: 0, reservation: AttachedReservation::default() }
    }

    /// The same diff with only the counts.
    pub(super) fn counts_only(&self) -> Self {
        let Self { additions, deletions, compared_bytes, .. } = *self;
        Self { additions, deletions, compared_bytes, ..Self::without_lines() }
    }

    /// How many bytes were compared.
    pub fn compared_bytes(&self) -> u64 {
        self.compared_bytes
    }

    /// Whether the lines were not compared: not text, or too much of it.
    pub fn is_binary(&self) -> bool {
        self.patch.is_none()
    }

    /// How many lines were added.
    pub fn additions(&self) -> u32 {
        self.additions
    }

    /// How many lines were deleted.
    pub fn deletions(&self) -> u32 {
        self.deletions
    }

    /// The hunks without the last line feed; `None` if there are none.
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

    /// The position of a line, if the patch shows it on that side.
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
            // Line zero would match the row above the first line.
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

    /// The kind of the row at a position; position 0 is the first header.
    pub fn kind_at(&self, position: u32) -> Option<RowKind> {
        self.rows().get(position as usize).map(|row| row.kind)
    }

    /// The position of the hunk header above a position.
    pub fn hunk_of(&self, position: u32) -> Option<u32> {
        let rows = self.rows().get(..=position as usize)?;
        rows.iter().rposition(|row| row.kind == RowKind::Header).map(|header| header as u32)
    }

    /// Whether two lines are in the same hunk.
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

    /// The line of one side at a position; a context row has one on each side.
    pub(super) fn line_on(&self, side: Side, position: u32) -> Option<u32> {
        let row = self.rows().get(position as usize)?;
        match (row.kind, side) {
            (RowKind::Context | RowKind::Added, Side::Right) => Some(row.new),
            (RowKind::Context | RowKind::Deleted, Side::Left) => Some(row.old),
            _ => None,
        }
    }

    /// Its size in memory.
    pub(super) fn byte_count(&self) -> usize {
        size_of::<Self>() + self.hunks().len() + size_of_val(self.rows())
    }

    fn rows(&self) -> &[super::patch::Row] {
        self.patch.as_ref().map_or(&[], |patch| &patch.rows)
    }
}

fn content(repo: &dyn Source, entry: Option<&Entry>) -> Result<Content> {
    entry.map_or(Ok(Content::Text(Text::Generated(Vec::new()))), |entry| entry.content(repo))
}
