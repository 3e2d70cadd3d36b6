//! A file of a tree, as a diff sees it.

use std::ops::Deref;
use std::sync::Arc;

use super::source::{Source, object};
use crate::objects::RawObject;
use crate::objects::tree::EntryMode;
use plinth_base::error::Result;
use plinth_base::ids::Sha;

/// Files with more bytes or lines are treated as binary: nobody reviews them line by line, and they would fill the
/// memory.
pub(super) const TEXT_BYTES_MAX: u64 = 8 * 1024 * 1024;
const TEXT_LINES_MAX: usize = 100_000;

/// The mode of a file: that of a tree entry which is not a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileMode {
    File,
    Executable,
    Symlink,
    Submodule,
}

impl FileMode {
    /// As git writes it in a tree.
    pub fn octal(self) -> &'static str {
        match self {
            FileMode::File => EntryMode::File,
            FileMode::Executable => EntryMode::Executable,
            FileMode::Symlink => EntryMode::Symlink,
            FileMode::Submodule => EntryMode::Submodule,
        }
        .as_str()
    }

    /// `None` for a directory.
    pub(super) fn of(mode: EntryMode) -> Option<Self> {
        match mode {
            EntryMode::File => Some(FileMode::File),
            EntryMode::Executable => Some(FileMode::Executable),
            EntryMode::Symlink => Some(FileMode::Symlink),
            EntryMode::Submodule => Some(FileMode::Submodule),
            EntryMode::Directory => None,
        }
    }

    /// Whether the content is that of a file, so that it can be compared with another file.
    pub fn is_regular(self) -> bool {
        matches!(self, FileMode::File | FileMode::Executable)
    }

    /// Whether the two modes differ in permissions at most.
    pub(super) fn is_same_type(self, other: Self) -> bool {
        self == other || (self.is_regular() && other.is_regular())
    }
}

/// A path in a tree with the object that is stored there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: Vec<u8>,
    pub mode: FileMode,
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
        if self.mode == FileMode::Submodule {
            return Ok(Content::Text(Text::Generated(format!("Subproject commit {}\n", self.id).into_bytes())));
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

/// The content of an entry.
#[derive(Debug)]
pub(super) enum Content {
    Text(Text),
    /// Not text, or too much of it.
    Binary,
}

/// The bytes of a text, without a copy where an object has them.
#[derive(Debug)]
pub(super) enum Text {
    Object(Arc<RawObject>),
    Generated(Vec<u8>),
}

impl Deref for Text {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Text::Object(object) => object.data(),
            Text::Generated(bytes) => bytes,
        }
    }
}

pub(super) fn is_binary(bytes: &[u8]) -> bool {
    /// Git looks for a NUL only in the start of a file.
    const CHECKED_BYTES: usize = 8000;
    bytes[..bytes.len().min(CHECKED_BYTES)].contains(&0)
}
