//! Where a commented line is in a later version of a pull request.
//!
//! Always from the version the comment was written on, never from one that was ported before: nothing drifts, and
//! what comes back is found again.

mod line_map;
mod route;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::comparison::Target;
use super::file::{FileDiff, Side};
use super::source::Source;
use super::text::RowKind;
use super::tree::FileChange;
use plinth_base::error::Result;
use plinth_base::ids::Sha;
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
pub fn port(repo: &dyn Source, target: &dyn Target, anchors: &[Anchor]) -> Result<Vec<Port>> {
    let mut porter = Porter { repo, target, routes: Routes::new(repo, target), files: RefCell::default() };
    for anchor in anchors {
        porter.announce(anchor);
    }
    porter.routes.resolve()?;
    anchors.iter().map(|anchor| porter.place(anchor)).collect()
}

struct Porter<'a> {
    repo: &'a dyn Source,
    target: &'a dyn Target,
    routes: Routes<'a>,
    files: RefCell<LookedUp>,
}

/// What was looked up by side and path; nothing where the target has no such file.
type LookedUp = HashMap<(Side, Vec<u8>), Option<Rc<Changed>>>;

/// A file of the target, compared line by line.
struct Changed {
    change: FileChange,
    diff: Arc<FileDiff>,
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

    fn place(&self, anchor: &'a Anchor) -> Result<Port> {
        match anchor.subject {
            Subject::File => self.place_file(anchor),
            Subject::Line { side, line, start } => {
                let placed = self.place_line(anchor, side, line, start)?;
                Ok(placed.unwrap_or(Port::Outdated))
            }
        }
    }

    fn place_file(&self, anchor: &Anchor) -> Result<Port> {
        let side = if anchor.new_path.is_some() { Side::Right } else { Side::Left };
        let Some(path) = Stop::of(anchor, side).and_then(|stop| self.routes.path(&stop)) else {
            return Ok(Port::Outdated);
        };
        let change = self.find_change(side, path)?;
        let path = change.as_ref().map_or(path, FileChange::path);
        Ok(Port::CurrentFile { path: path.to_vec() })
    }

    fn place_line(
        &self,
        anchor: &'a Anchor,
        side: Side,
        line: u32,
        start: Option<(Side, u32)>,
    ) -> Result<Option<Port>> {
        let Some((changed, now)) = self.line_in_target(anchor, side, line)? else {
            return Ok(None);
        };
        let Some(position) = changed.diff.position_of(side, now) else {
            return Ok(None);
        };
        if self.is_deletion_undone(anchor, &changed.diff, side, line, position)? {
            return Ok(None);
        }
        let start = match start {
            Some(start) => self.place_start(anchor, &changed, start, position)?,
            None => None,
        };
        Ok(Some(Port::Current { path: changed.change.path().to_vec(), side, line: now, start, position }))
    }

    /// The first line of a range that is still there: its own, or the next below in the hunk where the range ends.
    fn place_start(
        &self,
        anchor: &'a Anchor,
        changed: &Changed,
        (side, line): (Side, u32),
        end: u32,
    ) -> Result<Option<(Side, u32)>> {
        let diff = &changed.diff;
        let Some(header) = diff.hunk_of(end) else { return Ok(None) };
        let Some(stop) = Stop::of(anchor, side) else { return Ok(None) };
        let Some(path) = self.routes.path(&stop) else { return Ok(None) };
        if self.find_change(side, path)?.as_ref() != Some(&changed.change) {
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

    fn line_in_target(&self, anchor: &'a Anchor, side: Side, line: u32) -> Result<Option<(Rc<Changed>, u32)>> {
        let Some(stop) = Stop::of(anchor, side) else { return Ok(None) };
        let (Some(now), Some(path)) = (self.routes.line(&stop, line), self.routes.path(&stop)) else { return Ok(None) };
        Ok(self.changed(side, path)?.map(|changed| (changed, now)))
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

    /// The file of the target at a path of one side, compared once.
    fn changed(&self, side: Side, path: &[u8]) -> Result<Option<Rc<Changed>>> {
        let key = (side, path.to_vec());
        if let Some(known) = self.files.borrow().get(&key) {
            return Ok(known.clone());
        }
        let found = match self.find_change(side, path)? {
            Some(change) => Some(self.compared_before(side, &change).map_or_else(|| self.compare(change), Ok)?),
            None => None,
        };
        self.files.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    /// The same file, if it was asked for by its path on the other side.
    fn compared_before(&self, side: Side, change: &FileChange) -> Option<Rc<Changed>> {
        let other = match side {
            Side::Left => (Side::Right, change.new.as_ref()?.path.clone()),
            Side::Right => (Side::Left, change.old.as_ref()?.path.clone()),
        };
        self.files.borrow().get(&other).cloned().flatten()
    }

    fn compare(&self, change: FileChange) -> Result<Rc<Changed>> {
        Ok(Rc::new(Changed { diff: self.target.diff(self.repo, &change)?, change }))
    }

    fn find_change(&self, side: Side, path: &[u8]) -> Result<Option<FileChange>> {
        match side {
            Side::Left => self.target.find_old(path),
            Side::Right => Ok(self.target.find(path)?.filter(|change| change.new.is_some())),
        }
    }
}
