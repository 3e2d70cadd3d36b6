//! Which files differ between two trees.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::ControlFlow;

use gix_diff::tree::visit::Change;
use gix_object::bstr::{BStr, BString};

use super::change::FileChange;
use super::entry::{Entry, FileMode};
use super::source::{Objects, Source, object, tree};
use super::{fault, rename};
use crate::budget::{Budget, Reserved};
use crate::objects::tree::{EntryMode, find_entry};
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;

/// More changed files than this are not compared at all.
const FILES_MAX: usize = 100_000;
/// Changed files and the directories that contain them.
const ENTRIES_MAX: usize = 2 * FILES_MAX;
/// Bytes of the paths of all changed files and of the directories that contain them.
const PATH_BYTES_MAX: usize = 12 << 20;
/// Memory of a changed file in addition to its path, including rename detection.
const FILE_BYTES: usize = 256;
/// Memory is reserved in steps of this size.
const STEP_BYTES: u64 = 1 << 20;

/// The files that differ between two commits or trees, by path, with renames as `git diff` finds them by default.
pub fn changes(repo: &dyn Source, old: &Sha, new: &Sha) -> Result<Vec<FileChange>> {
    rename::detect(repo, changes_without_renames(repo, old, new)?)
}

/// As [`changes`], with a renamed file as one that was deleted and one that was added. Reads only trees.
pub fn changes_without_renames(repo: &dyn Source, old: &Sha, new: &Sha) -> Result<Vec<FileChange>> {
    let (old, new) = (tree(repo, old)?, tree(repo, new)?);
    let mut visitor = Visitor::new(repo.budget());
    let (old, new) = (
        gix_object::TreeRefIter::from_bytes(old.data(), gix_hash::Kind::Sha1),
        gix_object::TreeRefIter::from_bytes(new.data(), gix_hash::Kind::Sha1),
    );
    let objects = Objects { source: repo, failure: RefCell::default() };
    let walked = gix_diff::tree(old, new, gix_diff::tree::State::default(), &objects, &mut visitor);
    let mut changes = visitor.finish()?;
    match (objects.failure.into_inner(), walked) {
        (Some(error), _) => return Err(error),
        (None, walked) => walked.map_err(fault)?,
    }
    changes.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(changes)
}

/// The file at a path of a commit or tree, if there is one.
pub fn entry_at(repo: &dyn Source, commit_or_tree: &Sha, path: &[u8]) -> Result<Option<Entry>> {
    let mut directory = tree(repo, commit_or_tree)?;
    let mut parts = path.split(|&byte| byte == b'/').peekable();
    while let Some(part) = parts.next() {
        let Some(found) = find_entry(directory.data(), part)? else { return Ok(None) };
        match (parts.peek(), FileMode::of(found.mode)) {
            (Some(_), None) => directory = object(repo, &found.sha)?,
            (None, Some(mode)) => return Ok(Some(Entry { path: path.to_vec(), mode, id: found.sha })),
            (Some(_), Some(_)) | (None, None) => return Ok(None),
        }
    }
    Ok(None)
}

/// Records changed files, and stops the walk if there are too many: a tree of a few hundred bytes can have billions.
pub(super) struct Visitor<'a> {
    budget: &'a Budget,
    reserved: Vec<Option<Reserved>>,
    path: BString,
    /// Paths of directories that are still to be walked.
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
        self.reserve((self.path.len() + FILE_BYTES) as u64)?;
        let (old, new) = match change {
            Change::Addition { entry_mode, oid, .. } => (None, self.entry(*entry_mode, oid)),
            Change::Deletion { entry_mode, oid, .. } => (self.entry(*entry_mode, oid), None),
            Change::Modification { previous_entry_mode, previous_oid, entry_mode, oid } => {
                (self.entry(*previous_entry_mode, previous_oid), self.entry(*entry_mode, oid))
            }
        };
        // Gix also reports trees, and modes that differ only in their spelling.
        if old != new {
            self.changes.push(FileChange { old, new, score: 0 });
        }
        let is_full = self.changes.len() > FILES_MAX || self.entries > ENTRIES_MAX;
        if is_full || self.path_bytes > PATH_BYTES_MAX {
            return Err(Error::OverBudget("The comparison has too many files."));
        }
        Ok(())
    }

    fn reserve(&mut self, bytes: u64) -> Result<()> {
        self.bytes += bytes;
        if self.bytes / STEP_BYTES > self.reserved.len() as u64 {
            self.reserved.push(self.budget.reserve(STEP_BYTES)?);
        }
        Ok(())
    }

    fn entry(&self, mode: gix_object::tree::EntryMode, id: &gix_hash::oid) -> Option<Entry> {
        let mode = FileMode::of(EntryMode::from_gix(mode))?;
        Some(Entry { path: self.path.to_vec(), mode, id: crate::to_sha(id) })
    }

    fn push(&mut self, component: &BStr) {
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(component);
    }
}

impl gix_diff::tree::Visit for Visitor<'_> {
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
