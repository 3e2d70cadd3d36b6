//! Two commits and the files that differ between them.

use std::collections::HashMap;
use std::sync::Arc;

use super::file::FileDiff;
use super::source::Source;
use super::tree::{FileChange, changes};
use crate::error::Result;
use crate::ids::Sha;

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
    changes: Vec<FileChange>,
    by_old_path: HashMap<Vec<u8>, usize>,
    by_path: HashMap<Vec<u8>, usize>,
}

impl Comparison {
    /// Finds the changed files; their content is compared when it is asked for.
    pub fn new(repo: &dyn Source, base: &Sha, head: &Sha) -> Result<Self> {
        let changes = changes(repo, base, head)?;
        let indexed = || changes.iter().enumerate();
        let old = indexed().filter_map(|(index, change)| Some((change.old.as_ref()?.path.clone(), index)));
        let by_old_path = old.collect();
        let by_path = indexed().map(|(index, change)| (change.path().to_vec(), index)).collect();
        Ok(Self { base: *base, head: *head, changes, by_old_path, by_path })
    }

    /// All files that differ, by path.
    pub fn changes(&self) -> &[FileChange] {
        &self.changes
    }
}

impl Target for Comparison {
    fn base(&self) -> Sha {
        self.base
    }

    fn head(&self) -> Sha {
        self.head
    }

    fn find(&self, path: &[u8]) -> Result<Option<FileChange>> {
        Ok(self.by_path.get(path).map(|&index| self.changes[index].clone()))
    }

    fn find_old(&self, path: &[u8]) -> Result<Option<FileChange>> {
        Ok(self.by_old_path.get(path).map(|&index| self.changes[index].clone()))
    }
}
