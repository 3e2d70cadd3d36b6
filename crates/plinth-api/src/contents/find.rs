//! Finds what is at a path of a commit.

use std::sync::Arc;

use super::submodules;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};
use plinth_git::{EntryMode, Header, RawObject, Reader, TreeLimits};

/// Larger files have no content in JSON, and no HTML.
pub const SHOWN_BYTES_MAX: u64 = 1 << 20;
/// Larger files need a clone.
const RAW_BYTES_MAX: u64 = 32 << 20;
/// Entries of a directory; more are left out.
const ENTRIES_MAX: usize = 1_000;
const ENTRY_PATH_BYTES_MAX: usize = 4 << 20;
/// No file system has longer paths.
const SYMLINK_BYTES_MAX: u64 = 4_096;
const GITMODULES_BYTES_MAX: u64 = 1 << 20;
/// What content takes in memory for each of its bytes, as an object, in Base64 and in a response.
const MEMORY_PER_BYTE: u64 = 4;

/// Something at a path.
pub struct Found {
    pub item: Item,
    pub content: Content,
}

/// What lists have, too.
pub struct Item {
    pub path: String,
    pub mode: EntryMode,
    pub sha: Sha,
    pub size: u64,
}

pub enum Content {
    File(Arc<RawObject>),
    /// A file that is too large for the requested form.
    LargeFile,
    Directory(Vec<Item>),
    /// A link that leads to no file of the commit.
    Symlink(String),
    /// The commit of another repository, with the URL of that.
    Submodule(Option<String>),
}

/// The form in which a file is sent, which decides how large it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Json,
    Html,
    Raw,
}

/// The root tree of the commit behind an object.
pub fn root_of(reader: &Reader<'_>, named: &Sha) -> Result<Sha> {
    let Some((commit, ObjectKind::Commit)) = reader.peel(named)? else { return Err(Error::NotFound) };
    reader.find_tree_id(&commit)?.ok_or_else(|| reader.missing(&commit))
}

/// What is at a path below a root tree.
pub fn find(reader: &Reader<'_>, root: Sha, path: &str, form: Form) -> Result<Found> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let path = parts.join("/");
    if path.is_empty() {
        let item = Item { path, mode: EntryMode::Directory, sha: root, size: 0 };
        return directory(reader, item);
    }
    let entry = reader.find_path(&root, path.as_bytes())?.ok_or(Error::NotFound)?;
    let item = Item { path, mode: entry.mode, sha: entry.sha, size: 0 };
    match entry.mode {
        EntryMode::Directory => directory(reader, item),
        EntryMode::File | EntryMode::Executable => file(reader, item, form),
        EntryMode::Symlink => symlink(reader, root, item, form),
        EntryMode::Submodule => {
            let content = Content::Submodule(submodule_url(reader, root, &item.path)?);
            Ok(Found { item, content })
        }
    }
}

fn file(reader: &Reader<'_>, item: Item, form: Form) -> Result<Found> {
    let size = size_of(reader, &item.sha)?;
    let item = Item { size, ..item };
    let size_max = match form {
        Form::Html => SHOWN_BYTES_MAX,
        Form::Json | Form::Raw => RAW_BYTES_MAX,
    };
    if form == Form::Json && (SHOWN_BYTES_MAX + 1..=size_max).contains(&size) {
        return Ok(Found { item, content: Content::LargeFile });
    }
    let blob = reader.find_blob(&item.sha, size_max)?.ok_or_else(|| reader.missing(&item.sha))?;
    let per_byte = if form == Form::Raw { 1 } else { MEMORY_PER_BYTE };
    reader.budget().retain(per_byte * size)?;
    Ok(Found { item, content: Content::File(blob) })
}

fn directory(reader: &Reader<'_>, item: Item) -> Result<Found> {
    let limits = TreeLimits { entries: ENTRIES_MAX, path_bytes: ENTRY_PATH_BYTES_MAX, recursive: false };
    let listing = reader.list_tree(&item.sha, limits)?.ok_or_else(|| reader.missing(&item.sha))?;
    let mut entries = Vec::with_capacity(listing.entries.len());
    for entry in listing.entries {
        let name = String::from_utf8_lossy(&entry.path);
        let path = if item.path.is_empty() { name.into_owned() } else { format!("{}/{name}", item.path) };
        // Each path is in a response six times.
        reader.budget().retain(6 * path.len() as u64)?;
        let size = match entry.mode.object_kind() {
            ObjectKind::Blob => size_of(reader, &entry.sha)?,
            ObjectKind::Tree | ObjectKind::Commit | ObjectKind::Tag => 0,
        };
        entries.push(Item { path, mode: entry.mode, sha: entry.sha, size });
    }
    Ok(Found { item, content: Content::Directory(entries) })
}

/// A link to a file of the same commit is that file, under the link's own name.
fn symlink(reader: &Reader<'_>, root: Sha, item: Item, form: Form) -> Result<Found> {
    let size = size_of(reader, &item.sha)?;
    let item = Item { size, ..item };
    let blob = reader.find_blob(&item.sha, SYMLINK_BYTES_MAX)?.ok_or_else(|| reader.missing(&item.sha))?;
    if let Some(path) = resolve(&item.path, blob.data())
        && let Some(entry) = reader.find_path(&root, &path)?
        && matches!(entry.mode, EntryMode::File | EntryMode::Executable)
    {
        return file(reader, Item { mode: entry.mode, sha: entry.sha, ..item }, form);
    }
    let target = String::from_utf8_lossy(blob.data()).into_owned();
    Ok(Found { item, content: Content::Symlink(target) })
}

/// The path that a link leads to; `None` if that is not in the repository.
fn resolve(link: &str, target: &[u8]) -> Option<Vec<u8>> {
    if target.starts_with(b"/") {
        return None;
    }
    let mut parts: Vec<&[u8]> = link.as_bytes().split(|byte| *byte == b'/').collect();
    parts.pop();
    for part in target.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join(&b'/')).filter(|path| !path.is_empty())
}

fn submodule_url(reader: &Reader<'_>, root: Sha, path: &str) -> Result<Option<String>> {
    let Some(entry) = reader.find_path(&root, b".gitmodules")? else { return Ok(None) };
    match reader.find_header(&entry.sha)? {
        Some(Header { kind: ObjectKind::Blob, size }) if size <= GITMODULES_BYTES_MAX => {}
        Some(_) | None => return Ok(None),
    }
    let blob = reader.find_blob(&entry.sha, GITMODULES_BYTES_MAX)?;
    Ok(blob.and_then(|blob| submodules::url_of(&String::from_utf8_lossy(blob.data()), path)))
}

fn size_of(reader: &Reader<'_>, sha: &Sha) -> Result<u64> {
    Ok(reader.find_header(sha)?.ok_or_else(|| reader.missing(sha))?.size)
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn resolve_stays_inside_the_repository() {
        let resolved = |link: &str, target: &str| {
            resolve(link, target.as_bytes()).map(|path| String::from_utf8_lossy(&path).into_owned())
        };
        assert_eq!(resolved("link", "a.txt").as_deref(), Some("a.txt"));
        assert_eq!(resolved("d/link", "a.txt").as_deref(), Some("d/a.txt"));
        assert_eq!(resolved("d/e/link", "../.././x//a.txt").as_deref(), Some("x/a.txt"));
        for (link, target) in [("link", "../a"), ("d/link", "../../a"), ("link", "/etc/passwd"), ("d/link", "..")] {
            assert_eq!(resolved(link, target), None, "{link} {target}");
        }
    }
}
