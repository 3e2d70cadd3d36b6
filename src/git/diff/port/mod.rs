//! Where a commented line is in a later version of a pull request.
//!
//! Always from the version the comment was written on, never from one that was ported before: nothing drifts, and
//! what comes back is found again.

mod line_map;
mod route;

use std::collections::HashMap;

use super::comparison::Comparison;
use super::file::{FileDiff, Side};
use super::source::Source;
use super::text::RowKind;
use super::tree::FileChange;
use crate::error::Result;
use crate::ids::Sha;
use route::{Routes, Stop};

/// The place a comment was written on; it never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The merge base and the head of the version that was commented.
    pub base: Sha,
    pub head: Sha,
    /// Where the file was on each side; nothing if it was added or deleted.
    pub old_path: Option<Vec<u8>>,
    pub new_path: Option<Vec<u8>>,
    pub subject: Subject,
}

/// What a comment is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    File,
    /// One line, or the range from `start` to it.
    Line {
        side: Side,
        line: u32,
        start: Option<(Side, u32)>,
    },
}

/// Where a comment belongs in a later version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Port {
    Current {
        path: Vec<u8>,
        side: Side,
        line: u32,
        start: Option<(Side, u32)>,
        position: u32,
    },
    CurrentFile {
        path: Vec<u8>,
    },
    /// The line is gone, or no longer part of the diff.
    Outdated,
}

/// Finds the places of many comments at once: one blob diff for each commented file and version that changed.
pub fn port(repo: &dyn Source, target: &Comparison, anchors: &[Anchor]) -> Result<Vec<Port>> {
    let mut porter = Porter { repo, target, routes: Routes::new(repo, target), diffs: HashMap::new() };
    for anchor in anchors {
        porter.announce(anchor);
    }
    porter.routes.resolve()?;
    anchors.iter().map(|anchor| porter.place(anchor)).collect()
}

struct Porter<'a> {
    repo: &'a dyn Source,
    target: &'a Comparison,
    routes: Routes<'a>,
    diffs: HashMap<&'a [u8], FileDiff>,
}

impl<'a> Porter<'a> {
    fn announce(&mut self, anchor: &'a Anchor) {
        match anchor.subject {
            Subject::File => {
                let side = if anchor.new_path.is_some() { Side::Right } else { Side::Left };
                self.routes.announce(Stop::of(anchor, side), None);
            }
            Subject::Line { side, line, start } => {
                for (side, line) in [Some((side, line)), start].into_iter().flatten() {
                    self.routes.announce(Stop::of(anchor, side), Some(line));
                }
            }
        }
    }

    fn place(&mut self, anchor: &'a Anchor) -> Result<Port> {
        match anchor.subject {
            Subject::File => Ok(self.place_file(anchor)),
            Subject::Line { side, line, start } => {
                let placed = self.place_line(anchor, side, line, start)?;
                Ok(placed.unwrap_or(Port::Outdated))
            }
        }
    }

    fn place_file(&self, anchor: &Anchor) -> Port {
        let side = if anchor.new_path.is_some() { Side::Right } else { Side::Left };
        let Some(path) = Stop::of(anchor, side).and_then(|stop| self.routes.path(&stop)) else {
            return Port::Outdated;
        };
        let path = self.change(side, path).map_or(path, FileChange::path);
        Port::CurrentFile { path: path.to_vec() }
    }

    fn place_line(
        &mut self,
        anchor: &'a Anchor,
        side: Side,
        line: u32,
        start: Option<(Side, u32)>,
    ) -> Result<Option<Port>> {
        let Some((change, now)) = self.line_in_target(anchor, side, line) else {
            return Ok(None);
        };
        self.compare(change)?;
        let diff = &self.diffs[change.path()];
        let Some(position) = diff.position_of(side, now) else {
            return Ok(None);
        };
        if self.is_deletion_undone(anchor, diff, side, line, position)? {
            return Ok(None);
        }
        let start = match start {
            Some(start) => self.place_start(anchor, change, start, position)?,
            None => None,
        };
        Ok(Some(Port::Current { path: change.path().to_vec(), side, line: now, start, position }))
    }

    /// The first line of a range that is still there: its own, or the next below in the hunk where the range ends.
    fn place_start(
        &self,
        anchor: &'a Anchor,
        change: &FileChange,
        (side, line): (Side, u32),
        end: u32,
    ) -> Result<Option<(Side, u32)>> {
        let diff = &self.diffs[change.path()];
        let Some(header) = diff.hunk_of(end) else { return Ok(None) };
        let Some(stop) = Stop::of(anchor, side) else { return Ok(None) };
        let same_file = self.routes.path(&stop).and_then(|path| self.change(side, path)) == Some(change);
        if !same_file {
            return Ok(None);
        }
        let own = self.routes.line(&stop, line).and_then(|now| diff.position_of(side, now));
        let first = own.filter(|own| *own > header).unwrap_or(header + 1);
        for position in first..end {
            let Some(now) = diff.line_on(side, position) else { continue };
            let Some(origin) = self.routes.origin(&stop, now).filter(|origin| *origin >= line) else { continue };
            if !self.is_deletion_undone(anchor, diff, side, origin, position)? {
                return Ok(Some((side, now)));
            }
        }
        Ok(None)
    }

    fn line_in_target(&self, anchor: &'a Anchor, side: Side, line: u32) -> Option<(&'a FileChange, u32)> {
        let stop = Stop::of(anchor, side)?;
        let now = self.routes.line(&stop, line)?;
        Some((self.change(side, self.routes.path(&stop)?)?, now))
    }

    /// A comment on a deletion has lost its reason when the line is back; one on unchanged lines has not.
    fn is_deletion_undone(
        &self,
        anchor: &Anchor,
        diff: &FileDiff,
        side: Side,
        origin: u32,
        position: u32,
    ) -> Result<bool> {
        match (side, diff.kind_at(position)) {
            (Side::Left, Some(RowKind::Context)) => self.routes.was_deleted(anchor, origin),
            _ => Ok(false),
        }
    }

    fn change(&self, side: Side, path: &[u8]) -> Option<&'a FileChange> {
        match side {
            Side::Left => self.target.find_old(path),
            Side::Right => self.target.find(path).filter(|change| change.new.is_some()),
        }
    }

    fn compare(&mut self, change: &'a FileChange) -> Result<()> {
        if !self.diffs.contains_key(change.path()) {
            self.diffs.insert(change.path(), FileDiff::of(self.repo, change)?);
        }
        Ok(())
    }
}
