//! Two commits and the files that differ between them.

use std::collections::HashMap;

use super::source::Source;
use super::tree::{FileChange, changes};
use crate::error::Result;
use crate::ids::Sha;

/// The files between a merge base and a head, found by the path on either side.
#[derive(Debug)]
pub struct Comparison {
    pub base: Sha,
    pub head: Sha,
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

    /// The file that is now at a path, or was there until it was deleted.
    pub fn find(&self, path: &[u8]) -> Option<&FileChange> {
        self.by_path.get(path).map(|&index| &self.changes[index])
    }

    /// The file that was at a path before.
    pub fn find_old(&self, path: &[u8]) -> Option<&FileChange> {
        self.by_old_path.get(path).map(|&index| &self.changes[index])
    }
}
