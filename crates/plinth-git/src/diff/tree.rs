//! Which files differ between two trees.

use std::cell::RefCell;

use super::entry::{Entry, Mode};
use super::source::{Objects, Source, object, tree};
use super::visitor::Visitor;
use super::{fault, rename};
use plinth_base::error::Result;
use plinth_base::ids::Sha;

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

    /// What it takes in memory.
    pub(super) fn byte_count(&self) -> usize {
        let path = |entry: &Option<Entry>| entry.as_ref().map_or(0, |entry| entry.path.len());
        size_of::<Self>() + path(&self.old) + path(&self.new)
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
    let mut visitor = Visitor::new(repo.budget());
    let (old, new) = (
        gix::objs::TreeRefIter::from_bytes(old.data(), gix::hash::Kind::Sha1),
        gix::objs::TreeRefIter::from_bytes(new.data(), gix::hash::Kind::Sha1),
    );
    let objects = Objects { source: repo, failure: RefCell::default() };
    let walked = gix::diff::tree(old, new, gix::diff::tree::State::default(), &objects, &mut visitor);
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
        let Some(found) = crate::tree::find_entry(directory.data(), part)? else { return Ok(None) };
        match (parts.peek(), Mode::of_entry(found.mode)) {
            (Some(_), None) => directory = object(repo, &found.sha)?,
            (None, Some(mode)) => return Ok(Some(Entry { path: path.to_vec(), mode, id: found.sha })),
            (Some(_), Some(_)) | (None, None) => return Ok(None),
        }
    }
    Ok(None)
}
