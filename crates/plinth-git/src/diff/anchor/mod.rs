//! Re-anchors comments: finds a commented line in a later version of a pull request.
//!
//! Always from the version that was commented, never from an earlier result: errors do not accumulate, and a line that
//! comes back is found again.

mod file_map;
mod line_map;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::change::FileChange;
use super::comparison::Target;
use super::file::{FileDiff, Side};
use super::patch::RowKind;
use super::source::Source;
use file_map::{CommentedFile, FileMap};
use plinth_base::error::Result;
use plinth_base::ids::Sha;

/// What a comment was written on; it never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The merge base and the head of the version that was commented.
    pub base: Sha,
    pub head: Sha,
    /// The path of the file on each side; `None` if it was added or deleted.
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

/// Where a comment is in a later version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reanchored {
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
    /// The line is gone, or not part of the diff any more.
    Outdated,
}

/// Re-anchors many comments at once, with one diff for each commented file and version that changed.
pub fn reanchor(repo: &dyn Source, target: &dyn Target, anchors: &[Anchor]) -> Result<Vec<Reanchored>> {
    let mut run = Run { repo, target, commented: FileMap::new(repo, target), compared: RefCell::default() };
    for anchor in anchors {
        run.request(anchor);
    }
    run.commented.resolve()?;
    anchors.iter().map(|anchor| run.reanchor(anchor)).collect()
}

/// One call of [`reanchor`].
struct Run<'a> {
    repo: &'a dyn Source,
    target: &'a dyn Target,
    commented: FileMap<'a>,
    compared: RefCell<ComparedFiles>,
}

/// The last line of a range: what was commented, and its position in the target.
#[derive(Clone, Copy)]
struct End {
    origin: (Side, u32),
    position: u32,
}

/// By side and path; `None` where the target has no such file.
type ComparedFiles = HashMap<(Side, Vec<u8>), Option<Rc<ComparedFile>>>;

/// A file of the target, compared line by line.
struct ComparedFile {
    change: FileChange,
    diff: Arc<FileDiff>,
}

impl<'a> Run<'a> {
    fn request(&mut self, anchor: &'a Anchor) {
        match anchor.subject {
            Subject::File => {
                let side = if anchor.new_path.is_some() { Side::Right } else { Side::Left };
                self.commented.request(CommentedFile::of(anchor, side), None);
            }
            Subject::Line { side, line, start } => {
                for (side, line) in [Some((side, line)), start].into_iter().flatten() {
                    self.commented.request(CommentedFile::of(anchor, side), Some(line));
                }
            }
        }
    }

    fn reanchor(&self, anchor: &'a Anchor) -> Result<Reanchored> {
        match anchor.subject {
            Subject::File => self.reanchor_file(anchor),
            Subject::Line { side, line, start } => {
                let found = self.reanchor_line(anchor, side, line, start)?;
                Ok(found.unwrap_or(Reanchored::Outdated))
            }
        }
    }

    fn reanchor_file(&self, anchor: &Anchor) -> Result<Reanchored> {
        let side = if anchor.new_path.is_some() { Side::Right } else { Side::Left };
        let Some(path) = CommentedFile::of(anchor, side).and_then(|file| self.commented.path(&file)) else {
            return Ok(Reanchored::Outdated);
        };
        let change = self.find_change(side, path)?;
        let path = change.as_ref().map_or(path, FileChange::path);
        Ok(Reanchored::CurrentFile { path: path.to_vec() })
    }

    fn reanchor_line(
        &self,
        anchor: &'a Anchor,
        side: Side,
        line: u32,
        start: Option<(Side, u32)>,
    ) -> Result<Option<Reanchored>> {
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
            Some(start) => self.reanchor_start(anchor, &changed, start, End { origin: (side, line), position })?,
            None => None,
        };
        Ok(Some(Reanchored::Current { path: changed.change.path().to_vec(), side, line: now, start, position }))
    }

    /// The first line of a range that still exists: its own, or the next one of the range in the hunk where it ends.
    fn reanchor_start(
        &self,
        anchor: &'a Anchor,
        changed: &ComparedFile,
        (side, line): (Side, u32),
        end: End,
    ) -> Result<Option<(Side, u32)>> {
        let diff = &changed.diff;
        let Some(header) = diff.hunk_of(end.position) else { return Ok(None) };
        let Some(file) = CommentedFile::of(anchor, side) else { return Ok(None) };
        let Some(path) = self.commented.path(&file) else { return Ok(None) };
        if self.find_change(side, path)?.as_ref() != Some(&changed.change) {
            return Ok(None);
        }
        let own = self.commented.line(&file, line).and_then(|now| diff.position_of(side, now));
        let first = own.filter(|own| *own > header).unwrap_or(header + 1);
        for position in first..end.position {
            let Some(now) = diff.line_on(side, position) else { continue };
            let Some(origin) = self.commented.origin(&file, now).filter(|origin| *origin >= line) else { continue };
            // A line of the other side may have moved above the end without ever being part of the range.
            if !self.commented.preceded(anchor, (side, origin), end.origin)? {
                return Ok(None);
            }
            if !self.is_deletion_undone(anchor, diff, side, origin, position)? {
                return Ok(Some((side, now)));
            }
        }
        Ok(None)
    }

    fn line_in_target(&self, anchor: &'a Anchor, side: Side, line: u32) -> Result<Option<(Rc<ComparedFile>, u32)>> {
        let Some(file) = CommentedFile::of(anchor, side) else { return Ok(None) };
        let (Some(now), Some(path)) = (self.commented.line(&file, line), self.commented.path(&file)) else {
            return Ok(None);
        };
        Ok(self.compared_file(side, path)?.map(|changed| (changed, now)))
    }

    /// A comment on a deleted line is outdated once the line is back; one on an unchanged line is not.
    fn is_deletion_undone(
        &self,
        anchor: &Anchor,
        diff: &FileDiff,
        side: Side,
        origin: u32,
        position: u32,
    ) -> Result<bool> {
        match (side, diff.kind_at(position)) {
            (Side::Left, Some(RowKind::Context)) => self.commented.was_deleted(anchor, origin),
            _ => Ok(false),
        }
    }

    /// The file of the target at a path of one side; compared once.
    fn compared_file(&self, side: Side, path: &[u8]) -> Result<Option<Rc<ComparedFile>>> {
        let key = (side, path.to_vec());
        if let Some(compared) = self.compared.borrow().get(&key) {
            return Ok(compared.clone());
        }
        let found = match self.find_change(side, path)? {
            Some(change) => Some(self.find_other_side(side, &change).map_or_else(|| self.compare(change), Ok)?),
            None => None,
        };
        self.compared.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    /// The same file, if it was compared under its path on the other side.
    fn find_other_side(&self, side: Side, change: &FileChange) -> Option<Rc<ComparedFile>> {
        let other = match side {
            Side::Left => (Side::Right, change.new.as_ref()?.path.clone()),
            Side::Right => (Side::Left, change.old.as_ref()?.path.clone()),
        };
        self.compared.borrow().get(&other).cloned().flatten()
    }

    fn compare(&self, change: FileChange) -> Result<Rc<ComparedFile>> {
        Ok(Rc::new(ComparedFile { diff: self.target.diff(self.repo, &change)?, change }))
    }

    fn find_change(&self, side: Side, path: &[u8]) -> Result<Option<FileChange>> {
        match side {
            Side::Left => self.target.find_old(path),
            Side::Right => Ok(self.target.find(path)?.filter(|change| change.new.is_some())),
        }
    }
}
