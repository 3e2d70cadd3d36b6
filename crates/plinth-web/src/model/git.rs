//! Commits, files and refs.

use serde::Deserialize;

use super::User;

#[derive(Debug, Deserialize)]
pub struct Branch {
    pub name: String,
    pub commit: Target,
    #[serde(default)]
    pub protected: bool,
}

#[derive(Debug, Deserialize)]
pub struct Tag {
    pub name: String,
    pub commit: Target,
}

#[derive(Debug, Deserialize)]
pub struct Target {
    pub sha: String,
}

/// An entry of a directory.
#[derive(Debug, Deserialize)]
pub struct Entry {
    pub name: String,
    pub path: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub size: u64,
    /// Absent for submodules.
    pub git_url: Option<String>,
}

/// What is at a path.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Content {
    Directory(Vec<Entry>),
    File(File),
}

#[derive(Debug, Deserialize)]
pub struct File {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub size: u64,
    /// In Base64; empty for large files.
    #[serde(default)]
    pub content: String,
    /// Of a link that leads to no file.
    pub target: Option<String>,
    pub submodule_git_url: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Commit {
    pub sha: String,
    pub commit: CommitText,
    pub author: Option<User>,
    #[serde(default)]
    pub parents: Vec<Target>,
    pub stats: Option<Stats>,
    #[serde(default)]
    pub files: Vec<ChangedFile>,
}

#[derive(Debug, Deserialize)]
pub struct CommitText {
    pub message: String,
    pub author: Option<Person>,
    pub committer: Option<Person>,
}

impl CommitText {
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    /// What follows the subject.
    pub fn details(&self) -> &str {
        self.message.split_once('\n').map_or("", |(_, rest)| rest.trim_matches('\n'))
    }
}

#[derive(Debug, Deserialize)]
pub struct Person {
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub date: String,
}

#[derive(Debug, Deserialize)]
pub struct Stats {
    pub additions: i64,
    pub deletions: i64,
}

/// A file that a commit or pull request changes.
#[derive(Debug, Deserialize)]
pub struct ChangedFile {
    pub filename: String,
    pub status: FileStatus,
    pub additions: i64,
    pub deletions: i64,
    /// Absent for binary and for large files.
    pub patch: Option<String>,
    pub previous_filename: Option<String>,
    /// Where the new content is.
    pub raw_url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileStatus {
    Added,
    Removed,
    Modified,
    Renamed,
    Copied,
    Changed,
    Unchanged,
}

impl FileStatus {
    pub fn word(self) -> &'static str {
        match self {
            FileStatus::Added => "added",
            FileStatus::Removed => "removed",
            FileStatus::Modified => "modified",
            FileStatus::Renamed => "renamed",
            FileStatus::Copied => "copied",
            FileStatus::Changed => "changed",
            FileStatus::Unchanged => "unchanged",
        }
    }
}

#[derive(Debug, Deserialize)]
pub struct Comparison {
    pub status: String,
    pub ahead_by: i64,
    pub behind_by: i64,
    pub total_commits: i64,
    pub commits: Vec<Commit>,
    #[serde(default)]
    pub files: Vec<ChangedFile>,
}
