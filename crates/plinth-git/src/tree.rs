//! Trees: their entries, read and written, and the names that may stand in them.

use super::object::RawObject;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

/// What an entry of a tree is. Odd permissions of old histories are read as the nearest of these.
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

    /// The mode that six digits mean, if they are one of the five.
    pub fn parse(digits: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == digits)
    }

    /// What kind of object such an entry names.
    pub const fn object_kind(self) -> ObjectKind {
        match self {
            EntryMode::File | EntryMode::Executable | EntryMode::Symlink => ObjectKind::Blob,
            EntryMode::Directory => ObjectKind::Tree,
            EntryMode::Submodule => ObjectKind::Commit,
        }
    }

    fn from_gix(mode: gix::objs::tree::EntryMode) -> Self {
        match mode.kind() {
            gix::objs::tree::EntryKind::Blob => EntryMode::File,
            gix::objs::tree::EntryKind::BlobExecutable => EntryMode::Executable,
            gix::objs::tree::EntryKind::Link => EntryMode::Symlink,
            gix::objs::tree::EntryKind::Tree => EntryMode::Directory,
            gix::objs::tree::EntryKind::Commit => EntryMode::Submodule,
        }
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

/// Reads the entries in the order of the tree.
pub(super) fn parse(data: &[u8]) -> Result<Vec<TreeEntry>> {
    gix::objs::TreeRefIter::from_bytes(data, gix::hash::Kind::Sha1)
        .map(|entry| {
            let entry = entry.map_err(super::broken)?;
            Ok(TreeEntry {
                name: entry.filename.to_vec(),
                mode: EntryMode::from_gix(entry.mode),
                sha: super::to_sha(entry.oid),
            })
        })
        .collect()
}

/// The entry that begins at an offset, and where the next one begins; nothing at the end.
pub(super) fn entry_at(data: &[u8], offset: usize) -> Result<Option<(TreeEntry, usize)>> {
    let mut entries = gix::objs::TreeRefIter::from_bytes(&data[offset..], gix::hash::Kind::Sha1);
    let Some(entry) = entries.next() else { return Ok(None) };
    let entry = entry.map_err(super::broken)?;
    let (mode, sha) = (EntryMode::from_gix(entry.mode), super::to_sha(entry.oid));
    Ok(Some((TreeEntry { name: entry.filename.to_vec(), mode, sha }, entries.offset_to_next_entry(data))))
}

/// Finds one entry without reading the others into memory.
pub(super) fn find_entry(data: &[u8], name: &[u8]) -> Result<Option<TreeEntry>> {
    for entry in gix::objs::TreeRefIter::from_bytes(data, gix::hash::Kind::Sha1) {
        let entry = entry.map_err(super::broken)?;
        if entry.filename == name {
            let mode = EntryMode::from_gix(entry.mode);
            return Ok(Some(TreeEntry { name: name.to_vec(), mode, sha: super::to_sha(entry.oid) }));
        }
    }
    Ok(None)
}

/// Writes a tree with its entries sorted; refuses names and pairs that git's check of objects would refuse.
pub(super) fn to_object(mut entries: Vec<TreeEntry>) -> Result<RawObject> {
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

/// Whether some file system would take the name for `.gitmodules`: it is a good name, but not for a symbolic link.
pub(super) fn is_submodules_file(name: &[u8]) -> bool {
    check_name(name, EntryMode::File).is_ok() && check_name(name, EntryMode::Symlink).is_err()
}

/// Refuses names that no checkout may ever see: empty, `.`, `..`, and `.git` in all its disguises.
pub(super) fn check_name(name: &[u8], mode: EntryMode) -> Result<()> {
    let is_symlink = (mode == EntryMode::Symlink).then_some(gix::validate::path::component::Mode::Symlink);
    let protections =
        gix::validate::path::component::Options { protect_windows: false, protect_hfs: true, protect_ntfs: true };
    let verdict = gix::validate::path::component(name.into(), is_symlink, protections);
    if verdict.is_err() || name.contains(&0) {
        let shown = String::from_utf8_lossy(name);
        return Err(Error::unprocessable(format!("A tree may not have an entry named {shown:?}.")));
    }
    Ok(())
}
