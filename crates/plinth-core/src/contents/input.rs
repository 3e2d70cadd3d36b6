//! Input to change one file.

use crate::git_objects::Person;

/// A commit that changes one file.
#[derive(Debug, Clone)]
pub struct FileCommit {
    pub path: String,
    pub change: FileChange,
    /// The blob that the caller has seen at the path.
    pub sha: Option<String>,
    /// The default branch if it is absent.
    pub branch: Option<String>,
    pub message: String,
    /// The committer by default.
    pub author: Option<Person>,
    /// The caller by default.
    pub committer: Option<Person>,
}

#[derive(Debug, Clone)]
pub enum FileChange {
    /// The new content in Base64.
    Write(String),
    Delete,
}
