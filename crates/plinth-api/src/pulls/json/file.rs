//! Changed files on the wire.

use schemars::JsonSchema;
use serde::Serialize;

use crate::wire::{Word, Words};
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_base::urls::Part::{Fixed, Path};
use plinth_base::urls::{Url, Urls};
use plinth_core::repos::Repo;
use plinth_git::diff::{FileChange, FileDiff, Status};

/// A changed file, read from the repository.
pub struct File {
    sha: Sha,
    path: String,
    previous_path: Option<String>,
    status: Status,
    pub additions: u32,
    pub deletions: u32,
    patch: Option<String>,
}

impl File {
    pub fn new(change: &FileChange, diff: &FileDiff, patch: Option<&[u8]>) -> Result<Self> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let entry = change.new.as_ref().or(change.old.as_ref()).ok_or(Error::NotFound)?;
        Ok(Self {
            sha: entry.id,
            path: text(change.path()),
            previous_path: change.previous_path().map(text),
            status: change.status(),
            additions: diff.additions(),
            deletions: diff.deletions(),
            patch: patch.map(text),
        })
    }
}

impl Words for Status {
    const ALL: &'static [Self] =
        &[Status::Added, Status::Deleted, Status::Modified, Status::Renamed, Status::TypeChanged];

    fn word(self) -> &'static str {
        match self {
            Status::Added => "added",
            Status::Deleted => "removed",
            Status::Modified => "modified",
            Status::Renamed => "renamed",
            Status::TypeChanged => "changed",
        }
    }
}

/// A changed file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "diff-entry")]
pub struct ChangedFile<'a> {
    /// The blob after the change, or before it if the file was removed.
    sha: Sha,
    filename: &'a str,
    status: Word<Status>,
    additions: u32,
    deletions: u32,
    changes: u32,
    blob_url: Url<'a>,
    raw_url: Url<'a>,
    #[schemars(with = "Url<'a>")]
    contents_url: String,
    /// Absent for binary files, and for files after the first 8 MiB of patches.
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<&'a str>,
    /// Only for renamed files.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_filename: Option<&'a str>,
}

impl<'a> ChangedFile<'a> {
    pub fn new(file: &'a File, head: Sha, repo: &'a Repo, urls: &'a Urls) -> Self {
        let page = urls.repo_page(&repo.owner_login, &repo.name);
        let at = |word| {
            page.then(Fixed(word)).then(plinth_base::urls::Part::Sha(head)).then(Fixed("/")).then(Path(&file.path))
        };
        let contents = urls.repo(&repo.owner_login, &repo.name).then(Fixed("/contents/")).then(Path(&file.path));
        Self {
            sha: file.sha,
            filename: &file.path,
            status: Word(file.status),
            additions: file.additions,
            deletions: file.deletions,
            changes: file.additions + file.deletions,
            blob_url: at("/blob/"),
            raw_url: at("/raw/"),
            contents_url: format!("{contents}?ref={head}"),
            patch: file.patch.as_deref(),
            previous_filename: file.previous_path.as_deref(),
        }
    }
}
