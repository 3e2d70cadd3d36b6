//! Builds a tree from another one and a list of changes.

use std::collections::BTreeMap;

use super::tree::{self, EMPTY_TREE, EntryMode, TreeEntry};
use super::{MemoryObjects, ObjectSource, RawObject};
use crate::budget::Budget;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

/// Deeper paths are rejected; no checkout can have them.
const PATH_DEPTH_MAX: usize = 256;
/// Memory of parsed entries, in multiples of the size of the tree object.
const MEMORY_PER_BYTE: u64 = 4;

/// The change of one path.
#[derive(Debug, Clone)]
pub enum TreeChange {
    /// Puts an existing object there. The caller must check that it exists.
    Put { mode: EntryMode, sha: Sha },
    /// Puts a new blob there.
    Write { mode: EntryMode, content: Vec<u8> },
    /// Deletes the entry.
    Delete,
}

/// A base tree and the paths that change.
#[derive(Debug, Clone, Default)]
pub struct TreeEdit {
    base_tree_id: Option<Sha>,
    root: Node,
    has_submodules_file: bool,
}

/// The changes below one directory.
#[derive(Debug, Clone, Default)]
struct Node {
    entries: BTreeMap<Vec<u8>, TreeChange>,
    directories: BTreeMap<Vec<u8>, Node>,
}

impl TreeEdit {
    /// Starts from the empty tree.
    pub fn from_empty() -> Self {
        Self::default()
    }

    /// Starts from an existing tree.
    pub fn from_base(tree_id: Sha) -> Self {
        Self { base_tree_id: Some(tree_id), ..Self::default() }
    }

    /// Adds a change. Each path may change once, and not be both a file and a directory.
    pub fn change(&mut self, path: &str, change: TreeChange) -> Result<()> {
        let parts: Vec<&[u8]> = path.as_bytes().split(|byte| *byte == b'/').collect();
        let Some((name, directories)) = parts.split_last() else { return Err(bad_path(path)) };
        if directories.len() >= PATH_DEPTH_MAX {
            return Err(bad_path(path));
        }
        let mut node = &mut self.root;
        for directory in directories {
            tree::check_name(directory, EntryMode::Directory)?;
            if node.entries.contains_key(*directory) {
                return Err(bad_path(path));
            }
            node = node.directories.entry(directory.to_vec()).or_default();
        }
        match &change {
            TreeChange::Put { mode, .. } | TreeChange::Write { mode, .. } => {
                tree::check_name(name, *mode)?;
                self.has_submodules_file |= tree::is_submodules_file(name);
            }
            TreeChange::Delete => {}
        }
        if node.directories.contains_key(*name) || node.entries.insert(name.to_vec(), change).is_some() {
            return Err(bad_path(path));
        }
        Ok(())
    }

    /// Whether a `.gitmodules` changes, whose content only git itself can check.
    pub fn has_submodules_file(&self) -> bool {
        self.has_submodules_file
    }

    /// Builds the new tree and puts every new object into `objects`. The empty tree is valid.
    pub fn build(self, source: &dyn ObjectSource, objects: &mut MemoryObjects, budget: &Budget) -> Result<Sha> {
        let source = Trees { source, budget };
        let base = match self.base_tree_id {
            Some(tree_id) => source.find(&tree_id)?,
            None => Vec::new(),
        };
        let entries = apply(self.root, base, &source, objects)?;
        Ok(objects.insert(tree::to_object(entries)?))
    }
}

fn apply(node: Node, base: Vec<TreeEntry>, source: &Trees<'_>, objects: &mut MemoryObjects) -> Result<Vec<TreeEntry>> {
    let mut entries: BTreeMap<Vec<u8>, TreeEntry> = base.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
    for (name, change) in node.entries {
        match change {
            TreeChange::Put { mode, sha } => {
                if sha == EMPTY_TREE {
                    // Readers other than this service may need it stored.
                    objects.insert(RawObject::empty_tree());
                }
                entries.insert(name.clone(), TreeEntry { name, mode, sha });
            }
            TreeChange::Write { mode, content } => {
                let sha = objects.insert(blob_for(mode, content)?);
                entries.insert(name.clone(), TreeEntry { name, mode, sha });
            }
            TreeChange::Delete => {
                entries.remove(&name).ok_or_else(bad_object_state)?;
            }
        }
    }
    for (name, changes) in node.directories {
        let base = match entries.get(&name) {
            Some(entry) if entry.mode == EntryMode::Directory => source.find(&entry.sha)?,
            Some(_) | None => Vec::new(),
        };
        let below = apply(changes, base, source, objects)?;
        if below.is_empty() {
            // Git has no empty directories.
            entries.remove(&name);
        } else {
            let sha = objects.insert(tree::to_object(below)?);
            entries.insert(name.clone(), TreeEntry { name, mode: EntryMode::Directory, sha });
        }
    }
    Ok(entries.into_values().collect())
}

fn blob_for(mode: EntryMode, content: Vec<u8>) -> Result<RawObject> {
    match mode {
        EntryMode::File | EntryMode::Executable | EntryMode::Symlink => RawObject::blob(content),
        EntryMode::Directory => Err(Error::unprocessable("A subdirectory may not have content")),
        EntryMode::Submodule => Err(bad_object_state()),
    }
}

/// The existing trees of an edit.
struct Trees<'a> {
    source: &'a dyn ObjectSource,
    budget: &'a Budget,
}

impl Trees<'_> {
    fn find(&self, sha: &Sha) -> Result<Vec<TreeEntry>> {
        let object = self.source.find(sha)?.filter(|object| object.kind() == ObjectKind::Tree);
        let object = object.ok_or_else(|| Error::unprocessable(format!("{sha} is not a tree of this repository.")))?;
        self.budget.retain(object.data().len() as u64 * MEMORY_PER_BYTE)?;
        tree::parse(object.data())
    }
}

fn bad_path(path: &str) -> Error {
    Error::unprocessable(format!("The path {path:?} is not allowed or is given twice."))
}

/// What clients know as an entry that git cannot have.
fn bad_object_state() -> Error {
    Error::unprocessable("GitRPC::BadObjectState")
}
