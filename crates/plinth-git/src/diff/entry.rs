//! A file of a tree, as a diff sees it.

use std::ops::Deref;
use std::sync::Arc;

use gix::objs::tree::{EntryKind, EntryMode};

use super::fault;
use super::source::{Source, object};
use super::text::is_binary;
use crate::object::RawObject;
use plinth_base::error::Result;
use plinth_base::ids::Sha;

/// Larger files, and files of more lines, are treated as binary: nobody reviews them line by line, and they must not
/// fill the memory.
pub(super) const TEXT_BYTES_MAX: u64 = 8 * 1024 * 1024;
const TEXT_LINES_MAX: usize = 100_000;

/// What kind of file an entry is, in the four modes that git knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    File,
    Executable,
    Link,
    Submodule,
}

impl Mode {
    /// As git writes it in a tree.
    pub fn octal(self) -> &'static str {
        match self {
            Mode::File => "100644",
            Mode::Executable => "100755",
            Mode::Link => "120000",
            Mode::Submodule => "160000",
        }
    }

    pub(super) fn of(mode: EntryMode) -> Option<Self> {
        match mode.kind() {
            EntryKind::Tree => None,
            EntryKind::Blob => Some(Mode::File),
            EntryKind::BlobExecutable => Some(Mode::Executable),
            EntryKind::Link => Some(Mode::Link),
            EntryKind::Commit => Some(Mode::Submodule),
        }
    }

    /// Nothing for a directory.
    pub(super) fn of_entry(mode: crate::EntryMode) -> Option<Self> {
        match mode {
            crate::EntryMode::File => Some(Mode::File),
            crate::EntryMode::Executable => Some(Mode::Executable),
            crate::EntryMode::Symlink => Some(Mode::Link),
            crate::EntryMode::Submodule => Some(Mode::Submodule),
            crate::EntryMode::Directory => None,
        }
    }

    /// Whether the content is a file's, and so may be compared with another file's.
    pub fn is_regular(self) -> bool {
        matches!(self, Mode::File | Mode::Executable)
    }

    /// Whether going from one to the other changes permissions only.
    pub(super) fn is_same_type(self, other: Self) -> bool {
        self == other || (self.is_regular() && other.is_regular())
    }
}

/// A path in a tree with what is stored there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: Vec<u8>,
    pub mode: Mode,
    /// The blob, or for a submodule the commit.
    pub id: Sha,
}

impl Entry {
    pub(super) fn basename(&self) -> &[u8] {
        self.path.rsplit(|&byte| byte == b'/').next().unwrap_or(&self.path)
    }

    pub(super) fn size(&self, repo: &dyn Source) -> Result<u64> {
        repo.size(&self.id)
    }

    pub(super) fn content(&self, repo: &dyn Source) -> Result<Content> {
        if self.mode == Mode::Submodule {
            return Ok(Content::Text(Text::Made(format!("Subproject commit {}\n", self.id).into_bytes())));
        }
        if self.size(repo)? > TEXT_BYTES_MAX {
            return Ok(Content::Binary);
        }
        let object = object(repo, &self.id)?;
        let bytes = object.data();
        let has_lines = !is_binary(bytes) && bytes.iter().filter(|&&byte| byte == b'\n').count() <= TEXT_LINES_MAX;
        Ok(if has_lines { Content::Text(Text::Object(object)) } else { Content::Binary })
    }
}

/// What an entry holds, as far as lines are concerned.
#[derive(Debug)]
pub(super) enum Content {
    Text(Text),
    /// No text, or too much of it.
    Binary,
}

/// A text, in memory once.
#[derive(Debug)]
pub(super) enum Text {
    Object(Arc<RawObject>),
    Made(Vec<u8>),
}

impl Deref for Text {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Text::Object(object) => object.data(),
            Text::Made(bytes) => bytes,
        }
    }
}

pub(super) fn sha(id: &gix::hash::oid) -> Result<Sha> {
    let bytes: [u8; 20] = id.as_bytes().try_into().map_err(|_| fault("an object name is not SHA-1"))?;
    Ok(Sha::from_bytes(bytes))
}
