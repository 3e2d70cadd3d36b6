//! Which files differ between two trees.

use gix::diff::tree::recorder::Change as Record;

use super::entry::{Entry, Mode, sha};
use super::source::{Objects, Source, object, tree};
use super::{fault, rename};
use crate::error::{Error, Result};
use crate::ids::Sha;

/// More changed files than this are not compared at all.
const FILES_MAX: usize = 100_000;

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    Added,
    Deleted,
    Modified,
    Renamed,
    /// A file became a link or a submodule, or the other way around.
    TypeChanged,
}

/// A file that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub old: Option<Entry>,
    pub new: Option<Entry>,
    /// How alike the two sides of a rename are, of [`rename::SCORE_MAX`].
    pub(super) score: u32,
}

impl FileChange {
    /// What happened, judged by both sides.
    pub fn status(&self) -> Status {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) if old.path != new.path => Status::Renamed,
            (Some(old), Some(new)) if !old.mode.is_same_type(new.mode) => Status::TypeChanged,
            (Some(_), Some(_)) => Status::Modified,
            (None, _) => Status::Added,
            (Some(_), None) => Status::Deleted,
        }
    }

    /// Where the file is now, or was last.
    pub fn path(&self) -> &[u8] {
        self.new.as_ref().or(self.old.as_ref()).map_or(&[], |entry| &entry.path)
    }

    /// Where a renamed file was before.
    pub fn previous_path(&self) -> Option<&[u8]> {
        match self.status() {
            Status::Renamed => self.old.as_ref().map(|entry| &entry.path[..]),
            Status::Added | Status::Deleted | Status::Modified | Status::TypeChanged => None,
        }
    }

    /// How alike the two sides of a rename are, in percent.
    pub fn similarity(&self) -> u32 {
        self.score * 100 / rename::SCORE_MAX
    }
}

/// The files that differ between two commits or trees, by path, with renames as `git diff` finds them by default.
pub fn changes(repo: &dyn Source, old: &Sha, new: &Sha) -> Result<Vec<FileChange>> {
    rename::detect(repo, changes_without_renames(repo, old, new)?)
}

pub(super) fn changes_without_renames(repo: &dyn Source, old: &Sha, new: &Sha) -> Result<Vec<FileChange>> {
    let (old, new) = (tree(repo, old)?, tree(repo, new)?);
    let mut recorder = gix::diff::tree::Recorder::default();
    let (old, new) = (
        gix::objs::TreeRefIter::from_bytes(old.data(), gix::hash::Kind::Sha1),
        gix::objs::TreeRefIter::from_bytes(new.data(), gix::hash::Kind::Sha1),
    );
    gix::diff::tree(old, new, gix::diff::tree::State::default(), Objects(repo), &mut recorder).map_err(fault)?;
    if recorder.records.len() > FILES_MAX {
        return Err(Error::unprocessable("The comparison has too many files."));
    }
    let mut changes = Vec::with_capacity(recorder.records.len());
    for record in recorder.records {
        changes.extend(change(record)?);
    }
    changes.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(changes)
}

fn change(record: Record) -> Result<Option<FileChange>> {
    let (old, new) = match record {
        Record::Addition { entry_mode, oid, path, .. } => (None, entry(entry_mode, &oid, path.into())?),
        Record::Deletion { entry_mode, oid, path, .. } => (entry(entry_mode, &oid, path.into())?, None),
        Record::Modification { previous_entry_mode, previous_oid, entry_mode, oid, path } => {
            let path: Vec<u8> = path.into();
            (entry(previous_entry_mode, &previous_oid, path.clone())?, entry(entry_mode, &oid, path)?)
        }
    };
    // Trees are told along with the files in them, and some modes are only spelled differently.
    Ok((old != new).then_some(FileChange { old, new, score: 0 }))
}

fn entry(mode: gix::objs::tree::EntryMode, id: &gix::hash::oid, path: Vec<u8>) -> Result<Option<Entry>> {
    let id = sha(id)?;
    Ok(Mode::of(mode).map(|mode| Entry { path, mode, id }))
}

/// The file at a path of a commit or tree, if there is one.
pub fn entry_at(repo: &dyn Source, commit_or_tree: &Sha, path: &[u8]) -> Result<Option<Entry>> {
    let mut directory = tree(repo, commit_or_tree)?;
    let mut parts = path.split(|&byte| byte == b'/').peekable();
    while let Some(part) = parts.next() {
        let Some(found) = crate::git::tree::find_entry(directory.data(), part)? else { return Ok(None) };
        match (parts.peek(), Mode::of_entry(found.mode)) {
            (Some(_), None) => directory = object(repo, &found.sha)?,
            (None, Some(mode)) => return Ok(Some(Entry { path: path.to_vec(), mode, id: found.sha })),
            (Some(_), Some(_)) | (None, None) => return Ok(None),
        }
    }
    Ok(None)
}
