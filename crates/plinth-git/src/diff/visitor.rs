//! What a walk over two trees finds, counted while it walks.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use gix::bstr::{BStr, BString};
use gix::diff::tree::visit::Change;
use gix::objs::tree::EntryMode;

use super::entry::{Entry, Mode, sha};
use super::tree::FileChange;
use crate::budget::{Budget, Reserved};
use plinth_base::error::{Error, Result};

/// More changed files than this are not compared at all.
const FILES_MAX: usize = 100_000;
/// Changed files and the directories on the way to them.
const ENTRIES_MAX: usize = 2 * FILES_MAX;
/// Bytes of the paths of all changed files and of the directories on the way to them.
const PATH_BYTES_MAX: usize = 12 << 20;
/// What a changed file takes beside its path while renames are looked for.
const FILE_BYTES: usize = 256;
/// Memory is reserved in steps of this size.
const STEP_BYTES: u64 = 1 << 20;

/// Records changed files, and stops the walk when there are too many. A tree of a few hundred bytes can have billions.
pub(super) struct Visitor<'a> {
    budget: &'a Budget,
    reserved: Vec<Option<Reserved>>,
    path: BString,
    /// Paths of directories that are walked later.
    pending: VecDeque<BString>,
    path_bytes: usize,
    entries: usize,
    bytes: u64,
    changes: Vec<FileChange>,
    failure: Option<Error>,
}

impl<'a> Visitor<'a> {
    pub fn new(budget: &'a Budget) -> Self {
        Self {
            budget,
            reserved: Vec::new(),
            path: BString::default(),
            pending: VecDeque::new(),
            path_bytes: 0,
            entries: 0,
            bytes: 0,
            changes: Vec::new(),
            failure: None,
        }
    }

    /// The changed files, or why the walk was stopped.
    pub fn finish(self) -> Result<Vec<FileChange>> {
        self.failure.map_or(Ok(self.changes), Err)
    }

    fn record(&mut self, change: &Change) -> Result<()> {
        self.budget.visit(1)?;
        self.path_bytes += self.path.len();
        self.entries += 1;
        self.hold((self.path.len() + FILE_BYTES) as u64)?;
        let (old, new) = match change {
            Change::Addition { entry_mode, oid, .. } => (None, self.entry(*entry_mode, oid)?),
            Change::Deletion { entry_mode, oid, .. } => (self.entry(*entry_mode, oid)?, None),
            Change::Modification { previous_entry_mode, previous_oid, entry_mode, oid } => {
                (self.entry(*previous_entry_mode, previous_oid)?, self.entry(*entry_mode, oid)?)
            }
        };
        // Trees are reported along with the files in them, and some modes are only spelled differently.
        if old != new {
            self.changes.push(FileChange { old, new, score: 0 });
        }
        let is_full = self.changes.len() > FILES_MAX || self.entries > ENTRIES_MAX;
        if is_full || self.path_bytes > PATH_BYTES_MAX {
            return Err(Error::OverBudget("The comparison has too many files."));
        }
        Ok(())
    }

    fn hold(&mut self, bytes: u64) -> Result<()> {
        self.bytes += bytes;
        if self.bytes / STEP_BYTES > self.reserved.len() as u64 {
            self.reserved.push(self.budget.reserve(STEP_BYTES)?);
        }
        Ok(())
    }

    fn entry(&self, mode: EntryMode, id: &gix::hash::oid) -> Result<Option<Entry>> {
        let id = sha(id)?;
        Ok(Mode::of(mode).map(|mode| Entry { path: self.path.to_vec(), mode, id }))
    }

    fn push(&mut self, component: &BStr) {
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(component);
    }
}

impl gix::diff::tree::Visit for Visitor<'_> {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.path = self.pending.pop_front().unwrap_or_default();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.push(component);
        self.path_bytes += self.path.len();
        self.pending.push_back(self.path.clone());
    }

    fn push_path_component(&mut self, component: &BStr) {
        self.push(component);
    }

    fn pop_path_component(&mut self) {
        let end = self.path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        self.path.truncate(end);
    }

    fn visit(&mut self, change: Change) -> ControlFlow<()> {
        match self.record(&change) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failure = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}
