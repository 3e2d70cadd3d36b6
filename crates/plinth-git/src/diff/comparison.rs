//! Two commits and the files that differ between them.

use std::sync::Arc;

use super::file::FileDiff;
use super::source::Source;
use super::tree::{FileChange, changes};
use plinth_base::error::Result;
use plinth_base::ids::Sha;

/// The files between a merge base and a head, one at a time.
pub trait Target {
    fn base(&self) -> Sha;

    fn head(&self) -> Sha;

    /// The file that is now at a path, or was there until it was deleted.
    fn find(&self, path: &[u8]) -> Result<Option<FileChange>>;

    /// The file that was at a path before.
    fn find_old(&self, path: &[u8]) -> Result<Option<FileChange>>;

    /// What changed in one of its files, line by line.
    fn diff(&self, repo: &dyn Source, change: &FileChange) -> Result<Arc<FileDiff>> {
        FileDiff::of(repo, change).map(Arc::new)
    }
}

/// The same files, all found out at once.
#[derive(Debug)]
pub struct Comparison {
    base: Sha,
    head: Sha,
    /// By path.
    changes: Vec<FileChange>,
    /// Those that have an old path, by that.
    by_old_path: Vec<u32>,
}

impl Comparison {
    /// Finds the changed files; their content is compared when it is asked for.
    pub fn new(repo: &dyn Source, base: &Sha, head: &Sha) -> Result<Self> {
        let changes = changes(repo, base, head)?;
        let has_old_path = |index: &u32| old_path(&changes, *index).is_some();
        let mut by_old_path: Vec<u32> = (0..changes.len() as u32).filter(has_old_path).collect();
        by_old_path.sort_by_key(|index| old_path(&changes, *index));
        Ok(Self { base: *base, head: *head, changes, by_old_path })
    }

    /// What it takes in memory.
    pub(super) fn byte_count(&self) -> usize {
        let changes: usize = self.changes.iter().map(FileChange::byte_count).sum();
        size_of::<Self>() + changes + size_of_val(&self.by_old_path[..])
    }

    /// All files that differ, by path.
    pub fn changes(&self) -> &[FileChange] {
        &self.changes
    }
}

fn old_path(changes: &[FileChange], index: u32) -> Option<&[u8]> {
    changes[index as usize].old.as_ref().map(|entry| &entry.path[..])
}

impl Target for Comparison {
    fn base(&self) -> Sha {
        self.base
    }

    fn head(&self) -> Sha {
        self.head
    }

    fn find(&self, path: &[u8]) -> Result<Option<FileChange>> {
        let found = self.changes.binary_search_by_key(&path, FileChange::path);
        Ok(found.ok().map(|index| self.changes[index].clone()))
    }

    fn find_old(&self, path: &[u8]) -> Result<Option<FileChange>> {
        let found = self.by_old_path.binary_search_by_key(&Some(path), |index| old_path(&self.changes, *index));
        Ok(found.ok().map(|found| self.changes[self.by_old_path[found] as usize].clone()))
    }
}
