//! Reading objects by name: from the cache, the packs, and what lives beside the packs.

mod load;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::budget::Budget;
use super::commit::Commit;
use super::commit_graph::CommitGraph;
use super::damage;
use super::object::{NoObjects, ObjectSource, RawObject};
use super::object_store::Lookup;
use super::repository::Repository;
use super::tag::Tag;
use super::tree::{self, EntryMode, TreeEntry};
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

/// Tags may point at tags, but nobody needs a longer chain than this.
const TAG_CHAIN_MAX: usize = 64;

/// A view of one repository.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    repository: &'a Repository,
    beside: &'a dyn ObjectSource,
    budget: &'a Budget,
    effort: Effort<'a>,
}

/// How much a look may cost.
#[derive(Debug, Clone, Copy)]
enum Effort<'a> {
    Any,
    /// Only what is in memory, and no more than so many steps.
    Glance(&'a AtomicU32),
}

/// The answer takes more than a fast_path: it has to be looked for where blocking is fine.
#[derive(Debug)]
pub struct WouldBlock;

impl fmt::Display for WouldBlock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the objects are not in memory")
    }
}

impl std::error::Error for WouldBlock {}

impl From<WouldBlock> for Error {
    fn from(reason: WouldBlock) -> Self {
        Error::Internal(Box::new(reason))
    }
}

/// What can be told about an object without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub kind: ObjectKind,
    pub size: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(repository: &'a Repository, beside: &'a dyn ObjectSource, budget: &'a Budget) -> Self {
        Self { repository, beside, budget, effort: Effort::Any }
    }

    /// What the work of this reader may cost.
    pub fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// A reader that fails with [`WouldBlock`] rather than read from the disk, or go on for long.
    pub(super) fn at_a_glance(repository: &'a Repository, steps: &'a AtomicU32) -> Self {
        Self { repository, beside: &NoObjects, budget: Budget::unlimited(), effort: Effort::Glance(steps) }
    }

    /// Call this before what takes long even if everything is in memory.
    pub(super) fn check_may_block(&self) -> Result<()> {
        match self.effort {
            Effort::Any => Ok(()),
            Effort::Glance(_) => Err(WouldBlock.into()),
        }
    }

    /// Call this at every step of what may be many.
    pub(super) fn step(&self) -> Result<()> {
        match self.effort {
            Effort::Any => self.budget.visit(1),
            Effort::Glance(steps) => {
                let left = steps.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
                left.map(|_| ()).map_err(|_| WouldBlock.into())
            }
        }
    }

    /// The commit-graph of now. At a fast_path, one that would have to be opened first is done without.
    pub(super) fn graph(&self) -> Option<Arc<CommitGraph>> {
        let Repository { graph, .. } = self.repository;
        let directory = self.repository.objects_directory();
        match self.effort {
            Effort::Any => graph.get(&directory),
            Effort::Glance(_) => graph.get_open(&directory),
        }
    }

    /// Kind and size of an object, or nothing if the repository does not have it.
    pub fn find_header(&self, sha: &Sha) -> Result<Option<Header>> {
        self.step()?;
        let store = &self.repository.store;
        let packed = |lookup| -> Result<Option<Header>> {
            Ok(store.header(sha, lookup)?.map(|(kind, size)| Header { kind, size }))
        };
        if let Some(object) = self.repository.cache.get(self.repository.id, sha) {
            return Ok(Some(Header { kind: object.kind(), size: object.data().len() as u64 }));
        }
        self.check_may_block()?;
        if let Some(header) = packed(Lookup::KnownPacks)? {
            return Ok(Some(header));
        }
        match self.beside.find(sha)? {
            Some(object) => Ok(Some(Header { kind: object.kind(), size: object.data().len() as u64 })),
            None => match packed(Lookup::NewPacksToo)? {
                Some(header) => Ok(Some(header)),
                None => self.check_absent(sha).map(|()| None),
            },
        }
    }

    /// Fails where the object is not absent but lost.
    fn check_absent(&self, sha: &Sha) -> Result<()> {
        let store = &self.repository.store;
        for required in self.beside.required(sha)? {
            // What is required may have come since the look that did not find it.
            let is_there = store.header(&required, Lookup::KnownPacks)?.is_some()
                || self.beside.find(&required)?.is_some()
                || store.header(&required, Lookup::NewPacksToo)?.is_some();
            if !is_there {
                return Err(self.missing(&required));
            }
        }
        Ok(())
    }

    /// The error for an object that another one, or the store, names: its absence is damage.
    pub fn missing(&self, sha: &Sha) -> Error {
        damage::report(&self.repository.pack_directory(), sha, "it is missing")
    }

    /// What the object is, or nothing if the repository does not have it.
    pub fn kind_of(&self, sha: &Sha) -> Result<Option<ObjectKind>> {
        Ok(self.find_header(sha)?.map(|header| header.kind))
    }

    /// The commit, or nothing if there is no such object or it is not a commit.
    pub fn find_commit(&self, sha: &Sha) -> Result<Option<Commit>> {
        self.find_as(sha, ObjectKind::Commit)?.map(|object| Commit::parse(object.data())).transpose()
    }

    /// The tree of a commit, whose other lines are not looked at.
    pub fn find_tree_id(&self, sha: &Sha) -> Result<Option<Sha>> {
        let Some(object) = self.find_as(sha, ObjectKind::Commit)? else { return Ok(None) };
        let tree_id = gix::objs::CommitRefIter::from_bytes(object.data(), gix::hash::Kind::Sha1).tree_id();
        tree_id.map(|oid| Some(super::to_sha(&oid))).map_err(super::broken)
    }

    /// The annotated tag, or nothing if there is no such object or it is not a tag.
    pub fn find_tag(&self, sha: &Sha) -> Result<Option<Tag>> {
        self.find_as(sha, ObjectKind::Tag)?.map(|object| Tag::parse(object.data())).transpose()
    }

    /// The content of a blob. One that is larger than the limit is refused before it is read.
    pub fn find_blob(&self, sha: &Sha, size_max: u64) -> Result<Option<Arc<RawObject>>> {
        match self.find_header(sha)? {
            Some(Header { kind: ObjectKind::Blob, size }) if size > size_max => {
                Err(Error::Forbidden(format!("The blob is larger than {size_max} bytes.")))
            }
            // What the head of a damaged object says may be wrong, so another kind is believed only with its content.
            Some(Header { size, .. }) if size <= size_max => self.find_as(sha, ObjectKind::Blob),
            Some(_) | None => Ok(None),
        }
    }

    /// What an object points at once all tags around it are peeled off.
    pub fn peel(&self, sha: &Sha) -> Result<Option<(Sha, ObjectKind)>> {
        let mut current = *sha;
        for _ in 0..TAG_CHAIN_MAX {
            match self.kind_of(&current)? {
                None => return Ok(None),
                Some(ObjectKind::Tag) => {
                    let Some(tag) = self.find_tag(&current)? else { return Ok(None) };
                    current = tag.target_id;
                }
                Some(kind) => return Ok(Some((current, kind))),
            }
        }
        Ok(None)
    }

    /// What stands at a path below a tree. The empty path is the tree itself and has no entry.
    pub fn find_path(&self, tree_id: &Sha, path: &[u8]) -> Result<Option<TreeEntry>> {
        let mut tree_id = *tree_id;
        let mut found = None;
        let mut parts = path.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).peekable();
        while let Some(part) = parts.next() {
            let object = match self.find(&tree_id)? {
                Some(object) if object.kind() == ObjectKind::Tree => object,
                None if found.is_some() => return Err(self.missing(&tree_id)),
                Some(_) | None => return Ok(None),
            };
            let Some(entry) = tree::find_entry(object.data(), part)? else { return Ok(None) };
            if parts.peek().is_some() && entry.mode != EntryMode::Directory {
                return Ok(None);
            }
            tree_id = entry.sha;
            found = Some(entry);
        }
        Ok(found)
    }

    /// The name of an object as short as `git` would print it; objects beside the packs do not count.
    pub(super) fn abbreviate(&self, sha: &Sha) -> Result<String> {
        self.step()?;
        self.repository.store.abbreviate(sha)
    }

    pub(super) fn find_as(&self, sha: &Sha, kind: ObjectKind) -> Result<Option<Arc<RawObject>>> {
        Ok(self.find_wanted(sha, Some(kind))?.filter(|object| object.kind() == kind))
    }
}

impl ObjectSource for Reader<'_> {
    fn find(&self, sha: &Sha) -> Result<Option<Arc<RawObject>>> {
        self.find_wanted(sha, None)
    }
}
