//! Lists the entries of a tree up to a limit, recursively or not.

use std::sync::Arc;

use super::Reader;
use crate::objects::RawObject;
use crate::objects::tree::{self, EntryMode};
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

/// Depth of the listing; git itself stops at 2,048.
const DEPTH_MAX: usize = 1_024;
/// Bytes of all open trees on the path to an entry.
const OPEN_BYTES_MAX: usize = 32 << 20;
/// Memory of an entry in addition to its path, here and in a response.
const ENTRY_BYTES: u64 = 400;

/// An entry somewhere below a tree, with its whole path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathEntry {
    pub path: Vec<u8>,
    pub mode: EntryMode,
    pub sha: Sha,
}

/// How much of a tree is listed.
#[derive(Debug, Clone, Copy)]
pub struct TreeLimits {
    pub entries: usize,
    /// Bytes of all paths.
    pub path_bytes: usize,
    /// Whether directories are entered.
    pub recursive: bool,
}

/// The entries of a tree, up to the limits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeListing {
    pub entries: Vec<PathEntry>,
    pub is_truncated: bool,
    path_bytes: usize,
}

/// A tree whose entries are read one by one.
struct OpenTree {
    object: Arc<RawObject>,
    offset: usize,
    /// The path of the tree, with a slash at its end.
    prefix: Vec<u8>,
}

impl Reader<'_> {
    /// Lists a tree, directories before their content; `None` if there is no such tree.
    pub fn list_tree(&self, sha: &Sha, limits: TreeLimits) -> Result<Option<TreeListing>> {
        let Some(root) = self.find_as(sha, ObjectKind::Tree)? else { return Ok(None) };
        let mut listing = TreeListing::default();
        match self.list_below(root, &mut listing, limits) {
            Ok(()) => {}
            Err(Error::OverBudget(_)) => listing.is_truncated = true,
            Err(error) => return Err(error),
        }
        Ok(Some(listing))
    }

    fn list_below(&self, root: Arc<RawObject>, listing: &mut TreeListing, limits: TreeLimits) -> Result<()> {
        let mut open_bytes = root.data().len();
        let mut open = vec![OpenTree { object: root, offset: 0, prefix: Vec::new() }];
        while let Some(last) = open.last_mut() {
            let Some((entry, offset)) = tree::entry_at(last.object.data(), last.offset)? else {
                open_bytes -= last.object.data().len();
                open.pop();
                continue;
            };
            last.offset = offset;
            let path = [last.prefix.as_slice(), &entry.name].concat();
            let mut below = None;
            if limits.recursive && entry.mode == EntryMode::Directory {
                let object = self.find_as(&entry.sha, ObjectKind::Tree)?;
                let object = object.ok_or_else(|| self.missing(&entry.sha))?;
                open_bytes += object.data().len();
                below = Some(OpenTree { object, offset: 0, prefix: [&path[..], b"/"].concat() });
            }
            let is_too_deep = below.is_some() && (open.len() == DEPTH_MAX || open_bytes > OPEN_BYTES_MAX);
            if is_too_deep || !self.add(listing, PathEntry { path, mode: entry.mode, sha: entry.sha }, limits)? {
                listing.is_truncated = true;
                return Ok(());
            }
            open.extend(below);
        }
        Ok(())
    }

    /// Adds an entry; returns `false` if the listing is full.
    fn add(&self, listing: &mut TreeListing, entry: PathEntry, limits: TreeLimits) -> Result<bool> {
        self.budget().visit(1)?;
        listing.path_bytes += entry.path.len();
        if listing.entries.len() == limits.entries || listing.path_bytes > limits.path_bytes {
            return Ok(false);
        }
        self.budget().retain(2 * entry.path.len() as u64 + ENTRY_BYTES)?;
        listing.entries.push(entry);
        Ok(true)
    }
}
