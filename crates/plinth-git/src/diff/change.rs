//! A file that differs between two trees.

use super::entry::Entry;
use super::similarity::SCORE_MAX;

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    Added,
    Deleted,
    Modified,
    Renamed,
    /// A file became a symbolic link or a submodule, or the reverse.
    TypeChanged,
}

/// A file that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub old: Option<Entry>,
    pub new: Option<Entry>,
    /// How alike the two sides of a rename are, of [`SCORE_MAX`].
    pub(super) score: u32,
}

impl FileChange {
    /// The kind of change, derived from both sides.
    pub fn status(&self) -> Status {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) if old.path != new.path => Status::Renamed,
            (Some(old), Some(new)) if !old.mode.is_same_type(new.mode) => Status::TypeChanged,
            (Some(_), Some(_)) => Status::Modified,
            (None, _) => Status::Added,
            (Some(_), None) => Status::Deleted,
        }
    }

    /// The current path, or the last one of a deleted file.
    pub fn path(&self) -> &[u8] {
        self.new.as_ref().or(self.old.as_ref()).map_or(&[], |entry| &entry.path)
    }

    /// The old path of a renamed file.
    pub fn previous_path(&self) -> Option<&[u8]> {
        match self.status() {
            Status::Renamed => self.old.as_ref().map(|entry| &entry.path[..]),
            Status::Added | Status::Deleted | Status::Modified | Status::TypeChanged => None,
        }
    }

    /// Its size in memory.
    pub(super) fn byte_count(&self) -> usize {
        let path = |entry: &Option<Entry>| entry.as_ref().map_or(0, |entry| entry.path.len());
        size_of::<Self>() + path(&self.old) + path(&self.new)
    }

    /// How alike the two sides of a rename are, in percent.
    pub fn similarity(&self) -> u32 {
        self.score * 100 / SCORE_MAX
    }
}
