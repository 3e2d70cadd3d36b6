//! Trees: parsed, serialized, and the check of entry names.

use super::RawObject;
use gix_object::TreeRefIter;
use gix_object::tree::EntryRef;
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

/// The next entry, if git reads it: gix also accepts an empty mode, as zero, and an empty name.
fn next_entry<'a>(entries: &mut TreeRefIter<'a>) -> Result<Option<EntryRef<'a>>> {
    let Some(entry) = entries.next().transpose().map_err(crate::broken)? else { return Ok(None) };
    if entry.mode.value() == 0 || entry.filename.is_empty() {
        return Err(crate::broken("a tree entry has no mode or no name"));
    }
    Ok(Some(entry))
}

fn iterate(data: &[u8]) -> TreeRefIter<'_> {
    TreeRefIter::from_bytes(data, gix_hash::Kind::Sha1)
}

fn to_entry(entry: &EntryRef<'_>) -> TreeEntry {
    TreeEntry { name: entry.filename.to_vec(), mode: EntryMode::from_gix(entry.mode), sha: crate::to_sha(entry.oid) }
}

/// Parses all entries, in the order of the tree.
pub(crate) fn parse(data: &[u8]) -> Result<Vec<TreeEntry>> {
    let mut entries = iterate(data);
    std::iter::from_fn(|| next_entry(&mut entries).transpose()).map(|entry| Ok(to_entry(&entry?))).collect()
}

/// Parses the entry at an offset and returns the offset of the next one; `None` at the end.
pub(crate) fn entry_at(data: &[u8], offset: usize) -> Result<Option<(TreeEntry, usize)>> {
    let mut entries = iterate(&data[offset..]);
    let entry = next_entry(&mut entries)?;
    Ok(entry.map(|entry| (to_entry(&entry), entries.offset_to_next_entry(data))))
}

/// Finds one entry without allocating the others.
pub(crate) fn find_entry(data: &[u8], name: &[u8]) -> Result<Option<TreeEntry>> {
    let mut entries = iterate(data);
    while let Some(entry) = next_entry(&mut entries)? {
        if entry.filename == name {
            return Ok(Some(to_entry(&entry)));
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
