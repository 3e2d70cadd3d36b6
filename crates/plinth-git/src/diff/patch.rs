//! The patch between two texts: hunks as `git diff` prints them, and the lines of each row.

use std::ops::Range;

use super::lines::{Edit, LinePair, edits_of};
use crate::budget::Budget;
use plinth_base::error::Result;

/// Unchanged lines shown around a change.
const CONTEXT: u32 = 3;
/// A section heading is truncated to this many bytes.
const HEADING_MAX: usize = 80;
/// Bytes that are split into lines and numbered in the time of one comparison.
const BYTES_PER_COMPARISON: usize = 8;
const NO_NEWLINE: &[u8] = b"\\ No newline at end of file\n";

/// The kind of a row of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    Header,
    Context,
    Added,
    Deleted,
    NoNewline,
}

/// A row of a patch, with the number of lines of each side up to and including it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub kind: RowKind,
    pub old: u32,
    pub new: u32,
    pub end: usize,
}

/// The hunks between two texts. Row 0 is the first header; the index of a row is its position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TextPatch {
    pub bytes: Vec<u8>,
    pub rows: Vec<Row>,
    pub additions: u32,
    pub deletions: u32,
}

impl TextPatch {
    pub fn between(budget: &Budget, old: &[u8], new: &[u8]) -> Result<Self> {
        budget.compare(((old.len() + new.len()) / BYTES_PER_COMPARISON) as u64)?;
        let lines = LinePair::new(old, new);
        let edits = edits_of(budget, &lines)?;
        let mut patch = Self {
            additions: edits.iter().map(|edit| edit.new.len() as u32).sum(),
            deletions: edits.iter().map(|edit| edit.old.len() as u32).sum(),
            ..Self::default()
        };
        let mut writer = Writer { lines: &lines, patch: &mut patch, heading: Vec::new(), heading_searched: 0 };
        for hunk in edits.chunk_by(|above, below| below.old.start - above.old.end <= 2 * CONTEXT) {
            writer.hunk(hunk);
        }
        Ok(patch)
    }

    /// Appends the hunks of the file that replaces this one.
    pub fn append(&mut self, other: Self) {
        let (old, new) = self.rows.last().map_or((0, 0), |row| (row.old, row.new));
        let start = self.bytes.len();
        self.bytes.extend(other.bytes);
        self.rows.extend(other.rows.into_iter().map(|row| Row {
            old: row.old + old,
            new: row.new + new,
            end: row.end + start,
            ..row
        }));
        self.additions += other.additions;
        self.deletions += other.deletions;
    }
}

struct Writer<'a> {
    lines: &'a LinePair<'a>,
    patch: &'a mut TextPatch,
    heading: Vec<u8>,
    heading_searched: usize,
}

impl Writer<'_> {
    fn hunk(&mut self, edits: &[Edit]) {
        let (first, last) = (&edits[0], &edits[edits.len() - 1]);
        let before = CONTEXT.min(first.old.start);
        let after = CONTEXT.min(self.lines.old.len() as u32 - last.old.end);
        let old = first.old.start - before..last.old.end + after;
        let new = first.new.start - before..last.new.end + after;
        self.header(&old, &new);

        let mut next_old = old.start;
        for edit in edits {
            self.context(next_old..edit.old.start);
            let lines = self.lines;
            for line in edit.old.clone() {
                self.line(RowKind::Deleted, lines.old.text[line as usize]);
            }
            for line in edit.new.clone() {
                self.line(RowKind::Added, lines.new.text[line as usize]);
            }
            next_old = edit.old.end;
        }
        self.context(next_old..old.end);
    }

    fn header(&mut self, old: &Range<u32>, new: &Range<u32>) {
        self.find_heading(old.start as usize);
        let mut text = format!("@@ -{} +{} @@", span(old), span(new)).into_bytes();
        if !self.heading.is_empty() {
            text.push(b' ');
            text.extend_from_slice(readable(&self.heading));
        }
        text.push(b'\n');
        self.patch.bytes.extend_from_slice(&text);
        let end = self.patch.bytes.len();
        self.patch.rows.push(Row { kind: RowKind::Header, old: old.start, new: new.start, end });
    }

    fn context(&mut self, range: Range<u32>) {
        let lines = self.lines;
        for line in range {
            self.line(RowKind::Context, lines.old.text[line as usize]);
        }
    }

    fn line(&mut self, kind: RowKind, text: &[u8]) {
        let above = self.patch.rows.last().expect("a hunk starts with its header");
        let (mark, old, new) = match kind {
            RowKind::Added => (b'+', 0, 1),
            RowKind::Deleted => (b'-', 1, 0),
            RowKind::Context | RowKind::Header | RowKind::NoNewline => (b' ', 1, 1),
        };
        let (old, new) = (above.old + old, above.new + new);
        let bytes = &mut self.patch.bytes;
        bytes.push(mark);
        bytes.extend_from_slice(text);
        let cut_off = text.last() != Some(&b'\n');
        if cut_off {
            bytes.push(b'\n');
        }
        self.patch.rows.push(Row { kind, old, new, end: bytes.len() });
        if cut_off {
            bytes.extend_from_slice(NO_NEWLINE);
            self.patch.rows.push(Row { kind: RowKind::NoNewline, old, new, end: bytes.len() });
        }
    }

    /// The heading of a hunk is the nearest line above it that starts like a definition, even above an earlier hunk.
    fn find_heading(&mut self, start: usize) {
        let unseen = &self.lines.old.text[self.heading_searched.min(start)..start];
        if let Some(line) = unseen.iter().rev().find(|line| is_heading(line)) {
            let truncated = &line[..line.len().min(HEADING_MAX)];
            let end = truncated.iter().rposition(|byte| !is_space(*byte)).map_or(0, |last| last + 1);
            self.heading = truncated[..end].to_vec();
        }
        self.heading_searched = start;
    }
}

fn span(range: &Range<u32>) -> String {
    match range.len() {
        // git names the line before an empty range.
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

fn is_heading(line: &[u8]) -> bool {
    line.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_' || *byte == b'$')
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The heading up to the first invalid character, which truncation may have left.
fn readable(heading: &[u8]) -> &[u8] {
    let valid = match std::str::from_utf8(heading) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&heading[..error.valid_up_to()]).expect("checked just now"),
    };
    let end = valid.find(['\u{fffe}', '\u{ffff}']).unwrap_or(valid.len());
    &heading[..end]
}
