//! Reading objects: from the cache, the packs, and an overlay of objects that are in no pack yet.

mod ancestry;
mod load;
mod log;
mod tree_listing;
mod walk;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::budget::Budget;
use crate::commit_graph::CommitGraph;
use crate::objects::commit::Commit;
use crate::objects::tag::Tag;
use crate::objects::tree::{self, EntryMode, TreeEntry};
use crate::objects::{NoObjects, ObjectSource, RawObject};
use crate::packs::damage;
use crate::repository::Repository;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

pub use crate::packs::object_store::Ambiguous;
pub use ancestry::CommitRange;
pub use log::{LogFilter, LogPage};
pub use tree_listing::{PathEntry, TreeLimits, TreeListing};

/// Tags may point at tags; longer chains than this are not followed.
const TAG_CHAIN_MAX: usize = 64;
/// Objects and commits that a fast path may touch: together they take microseconds.
const FAST_PATH_STEPS: u32 = 256;

/// A view of one repository.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    repository: &'a Repository,
    overlay: &'a dyn ObjectSource,
    budget: &'a Budget,
    mode: Mode<'a>,
}

/// Whether a read may block.
#[derive(Debug, Clone, Copy)]
enum Mode<'a> {
    Blocking,
    /// Only what is in memory, and only as many steps as are left.
    FastPath(&'a AtomicU32),
}

/// The fast path does not suffice: the read has to be repeated where it may block.
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

/// What is known about an object without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub kind: ObjectKind,
    pub size: u64,
}

impl Repository {
    /// A reader without a budget, for commands of the operator. Requests use [`Repository::reader_within`].
    pub fn reader<'a>(&'a self, overlay: &'a dyn ObjectSource) -> Reader<'a> {
        self.reader_within(overlay, Budget::unlimited())
    }

    /// A reader that spends a budget.
    pub fn reader_within<'a>(&'a self, overlay: &'a dyn ObjectSource, budget: &'a Budget) -> Reader<'a> {
        Reader { repository: self, overlay, budget, mode: Mode::Blocking }
    }

    /// Runs `work` on what is in memory, where it never blocks. `None` if it would block or take too many steps.
    pub fn fast_path<T>(&self, work: impl FnOnce(&Reader<'_>) -> Result<T>) -> Option<Result<T>> {
        let steps = AtomicU32::new(FAST_PATH_STEPS);
        let (overlay, budget) = (&NoObjects, Budget::unlimited());
        match work(&Reader { repository: self, overlay, budget, mode: Mode::FastPath(&steps) }) {
            Err(Error::Internal(cause)) if cause.is::<WouldBlock>() => None,
            outcome => Some(outcome),
        }
    }
}

impl<'a> Reader<'a> {
    /// The budget that this reader spends.
    pub fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// Call this before work that takes long even if everything is in memory.
    pub(crate) fn check_may_block(&self) -> Result<()> {
        match self.mode {
            Mode::Blocking => Ok(()),
            Mode::FastPath(_) => Err(WouldBlock.into()),
        }
    }

    /// Call this at every step of a loop.
    pub(crate) fn step(&self) -> Result<()> {
        match self.mode {
            Mode::Blocking => self.budget.visit(1),
            Mode::FastPath(steps) => {
                let left = steps.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
                left.map(|_| ()).map_err(|_| WouldBlock.into())
            }
        }
    }

    /// The current commit-graph. On the fast path, only if it is open already.
    pub(crate) fn graph(&self) -> Option<Arc<CommitGraph>> {
        let Repository { graph, .. } = self.repository;
        let directory = self.repository.objects_directory();
        match self.mode {
            Mode::Blocking => graph.get(&directory),
            Mode::FastPath(_) => graph.get_open(&directory),
        }
    }

    /// The error for an object that another object, or the database, names: that it is missing is damage.
    pub fn missing(&self, sha: &Sha) -> Error {
        damage::report(&self.repository.pack_directory(), sha, "it is missing")
    }

    /// The kind of an object, or `None` if the repository does not have it.
    pub fn kind_of(&self, sha: &Sha) -> Result<Option<ObjectKind>> {
        Ok(self.find_header(sha)?.map(|header| header.kind))
    }

    /// The commit, or `None` if there is no such object or it is not a commit.
    pub fn find_commit(&self, sha: &Sha) -> Result<Option<Commit>> {
        self.find_as(sha, ObjectKind::Commit)?.map(|object| Commit::parse(object.data())).transpose()
    }

    /// The tree of a commit; the rest of the commit is not parsed.
    pub fn find_tree_id(&self, sha: &Sha) -> Result<Option<Sha>> {
        let Some(object) = self.find_as(sha, ObjectKind::Commit)? else { return Ok(None) };
        let tree_id = gix_object::CommitRefIter::from_bytes(object.data(), gix_hash::Kind::Sha1).tree_id();
        tree_id.map(|oid| Some(crate::to_sha(&oid))).map_err(crate::broken)
    }

    /// The annotated tag, or `None` if there is no such object or it is not a tag.
    pub fn find_tag(&self, sha: &Sha) -> Result<Option<Tag>> {
        self.find_as(sha, ObjectKind::Tag)?.map(|object| Tag::parse(object.data())).transpose()
    }

    /// The content of a blob. One that is larger than the limit is an error before it is read.
    pub fn find_blob(&self, sha: &Sha, size_max: u64) -> Result<Option<Arc<RawObject>>> {
        match self.find_header(sha)? {
            Some(Header { kind: ObjectKind::Blob, size }) if size > size_max => {
                Err(Error::Forbidden(format!("The blob is larger than {size_max} bytes.")))
            }
            // The header of a damaged object may be wrong, so another kind counts only once its content is read.
            Some(Header { size, .. }) if size <= size_max => self.find_as(sha, ObjectKind::Blob),
            Some(_) | None => Ok(None),
        }
    }

    /// The object behind all tags that point at it.
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

    /// The entry at a path below a tree. The empty path is the tree itself and has no entry.
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

    /// Whether anything at or below a path differs between two commits. Without an old commit, whether anything is there.
    pub fn differs_under(&self, old_commit: Option<&Sha>, new_commit: &Sha, path: &[u8]) -> Result<bool> {
        let entry_in = |commit_id: &Sha| -> Result<_> {
            let tree_id = self.find_tree_id(commit_id)?.ok_or(Error::NotFound)?;
            Ok(self.find_path(&tree_id, path)?.map(|entry| (entry.mode, entry.sha)))
        };
        let old = old_commit.map(entry_in).transpose()?.flatten();
        Ok(old != entry_in(new_commit)?)
    }

    /// The only packed object whose id begins with at least four digits. The inner error means that there are several.
    pub fn find_by_prefix(&self, digits: &str) -> Result<Result<Option<Sha>, Ambiguous>> {
        self.check_may_block()?;
        self.repository.store.find_by_prefix(digits)
    }

    /// The abbreviated name that `git` would print. Only packed objects count as ambiguous.
    pub(crate) fn abbreviate(&self, sha: &Sha) -> Result<String> {
        self.step()?;
        self.repository.store.abbreviate(sha)
    }

    pub(crate) fn find_as(&self, sha: &Sha, kind: ObjectKind) -> Result<Option<Arc<RawObject>>> {
        Ok(self.find_wanted(sha, Some(kind))?.filter(|object| object.kind() == kind))
    }
}

impl ObjectSource for Reader<'_> {
    fn find(&self, sha: &Sha) -> Result<Option<Arc<RawObject>>> {
        self.find_wanted(sha, None)
    }
}
