//! The files that differ between two commits.

use std::sync::Arc;

use super::change::FileChange;
use super::file::FileDiff;
use super::source::Source;
use super::tree::changes;
use plinth_base::error::Result;
use plinth_base::ids::Sha;

/// The changed files between a merge base and a head, looked up by path.
pub trait Target {
    fn base(&self) -> Sha;

    fn head(&self) -> Sha;

    /// The file whose current path this is, or whose last path it was if it is deleted.
    fn find(&self, path: &[u8]) -> Result<Option<FileChange>>;

    /// The file whose old path this is.
    fn find_old(&self, path: &[u8]) -> Result<Option<FileChange>>;

    /// The diff of one of its files.
    fn diff(&self, repo: &dyn Source, change: &FileChange) -> Result<Arc<FileDiff>> {
        FileDiff::of(repo, change).map(Arc::new)
    }
}

/// All changed files.
#[derive(Debug)]
pub struct Comparison {
    base: Sha,
    head: Sha,
    /// Sorted by path.
    changes: Vec<FileChange>,
    /// Indexes of the changes with an old path, sorted by it.
    by_old_path: Vec<u32>,
}

impl Comparison {
    /// Finds the changed files; their content is compared on demand.
    pub fn new(repo: &dyn Source, base: &Sha, head: &Sha) -> Result<Self> {
        let changes = changes(repo, base, head)?;
        let has_old_path = |index: &u32| old_path(&changes, *index).is_some();
        let mut by_old_path: Vec<u32> = (0..changes.len() as u32).filter(has_old_path).collect();
        by_old_path.sort_by_key(|index| old_path(&changes, *index));
        Ok(Self { base: *base, head: *head, changes, by_old_path })
    }

    /// Its size in memory.
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
