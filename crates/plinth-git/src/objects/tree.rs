//! Trees: parsed, serialized, and the check of entry names.

use super::RawObject;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

/// The tree without entries. As in git, every repository has it, stored or not.
pub const EMPTY_TREE: Sha = Sha::from_bytes([
    0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6, 0x92, 0x88, 0xfb, 0xee, 0x49,
    0x04,
]);

/// The mode of a tree entry. Unusual permissions of old histories are read as the nearest of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryMode {
    File,
    Executable,
    Symlink,
    Directory,
    Submodule,
}

impl EntryMode {
    const ALL: [Self; 5] = [Self::File, Self::Executable, Self::Symlink, Self::Directory, Self::Submodule];

    /// The six digits that the API uses.
    pub const fn as_str(self) -> &'static str {
        match self {
            EntryMode::File => "100644",
            EntryMode::Executable => "100755",
            EntryMode::Symlink => "120000",
            EntryMode::Directory => "040000",
            EntryMode::Submodule => "160000",
        }
    }

    /// Parses the six digits.
    pub fn parse(digits: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == digits)
    }

    /// The kind of object that such an entry names.
    pub const fn object_kind(self) -> ObjectKind {
        match self {
            EntryMode::File | EntryMode::Executable | EntryMode::Symlink => ObjectKind::Blob,
            EntryMode::Directory => ObjectKind::Tree,
            EntryMode::Submodule => ObjectKind::Commit,
        }
    }

    pub(crate) fn from_gix(mode: gix_object::tree::EntryMode) -> Self {
        match mode.kind() {
            gix_object::tree::EntryKind::Blob => EntryMode::File,
            gix_object::tree::EntryKind::BlobExecutable => EntryMode::Executable,
            gix_object::tree::EntryKind::Link => EntryMode::Symlink,
            gix_object::tree::EntryKind::Tree => EntryMode::Directory,
            gix_object::tree::EntryKind::Commit => EntryMode::Submodule,
        }
    }
}

impl RawObject {
    /// The object of [`EMPTY_TREE`].
    pub fn empty_tree() -> Self {
        Self::read_as(EMPTY_TREE, ObjectKind::Tree, Vec::new())
    }
}

/// One entry of one tree. Names are bytes, as git has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    pub name: Vec<u8>,
    pub mode: EntryMode,
    pub sha: Sha,
}

impl TreeEntry {
    /// Git sorts directories as if their names ended in a slash.
    fn sort_key(&self) -> (&[u8], &[u8]) {
        (&self.name, if self.mode == EntryMode::Directory { b"/" } else { b"" })
    }
}

/// Parses all entries, in the order of the tree.
pub(crate) fn parse(data: &[u8]) -> Result<Vec<TreeEntry>> {
    gix_object::TreeRefIter::from_bytes(data, gix_hash::Kind::Sha1)
        .map(|entry| {
            let entry = entry.map_err(crate::broken)?;
            Ok(TreeEntry {
                name: entry.filename.to_vec(),
                mode: EntryMode::from_gix(entry.mode),
                sha: crate::to_sha(entry.oid),
            })
        })
        .collect()
}

/// Parses the entry at an offset and returns the offset of the next one; `None` at the end.
pub(crate) fn entry_at(data: &[u8], offset: usize) -> Result<Option<(TreeEntry, usize)>> {
    let mut entries = gix_object::TreeRefIter::from_bytes(&data[offset..], gix_hash::Kind::Sha1);
    let Some(entry) = entries.next() else { return Ok(None) };
    let entry = entry.map_err(crate::broken)?;
    let (mode, sha) = (EntryMode::from_gix(entry.mode), crate::to_sha(entry.oid));
    Ok(Some((TreeEntry { name: entry.filename.to_vec(), mode, sha }, entries.offset_to_next_entry(data))))
}

/// Finds one entry without allocating the others.
pub(crate) fn find_entry(data: &[u8], name: &[u8]) -> Result<Option<TreeEntry>> {
    for entry in gix_object::TreeRefIter::from_bytes(data, gix_hash::Kind::Sha1) {
        let entry = entry.map_err(crate::broken)?;
        if entry.filename == name {
            let mode = EntryMode::from_gix(entry.mode);
            return Ok(Some(TreeEntry { name: name.to_vec(), mode, sha: crate::to_sha(entry.oid) }));
        }
    }
    Ok(None)
}

/// Sorts and serializes the entries; rejects names and duplicates that git's fsck rejects.
pub(crate) fn to_object(mut entries: Vec<TreeEntry>) -> Result<RawObject> {
    entries.sort_unstable_by(|left, right| {
        let (left, right) = (left.sort_key(), right.sort_key());
        left.0.iter().chain(left.1).cmp(right.0.iter().chain(right.1))
    });
    let mut names: Vec<&[u8]> = entries.iter().map(|entry| entry.name.as_slice()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Error::unprocessable("A tree may not have two entries with the same name."));
    }
    let mut data = Vec::with_capacity(entries.len() * 40);
    for entry in &entries {
        check_name(&entry.name, entry.mode)?;
        // Git writes the mode of a directory without the leading zero.
        data.extend_from_slice(entry.mode.as_str().trim_start_matches('0').as_bytes());
        data.push(b' ');
        data.extend_from_slice(&entry.name);
        data.push(0);
        data.extend_from_slice(entry.sha.as_bytes());
    }
    RawObject::new(ObjectKind::Tree, data)
}

/// Whether some file system treats the name as `.gitmodules`: it is valid, but not for a symbolic link.
pub(crate) fn is_submodules_file(name: &[u8]) -> bool {
    check_name(name, EntryMode::File).is_ok() && check_name(name, EntryMode::Symlink).is_err()
}

/// Whether every part of a path can be the name of an entry.
pub fn is_valid_path(path: &str) -> bool {
    path.split('/').all(|name| check_name(name.as_bytes(), EntryMode::Directory).is_ok())
}

/// Rejects names that are dangerous in a checkout: empty, `.`, `..`, and every spelling of `.git`.
pub(crate) fn check_name(name: &[u8], mode: EntryMode) -> Result<()> {
    let is_symlink = (mode == EntryMode::Symlink).then_some(gix_validate::path::component::Mode::Symlink);
    let protections =
        gix_validate::path::component::Options { protect_windows: false, protect_hfs: true, protect_ntfs: true };
    let outcome = gix_validate::path::component(name.into(), is_symlink, protections);
    if outcome.is_err() || name.contains(&0) {
        let shown = String::from_utf8_lossy(name);
        return Err(Error::unprocessable(format!("A tree may not have an entry named {shown:?}.")));
    }
    Ok(())
}
