//! Loading an object: its size is known, and paid for, before it is in memory.

use std::sync::Arc;

use super::Reader;
use crate::object::RawObject;
use crate::object_store::Lookup;
use crate::repository::Repository;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

/// Larger commits and tags are not read: their text is for people.
const MESSAGE_BYTES_MAX: u64 = 4 << 20;
/// Larger trees are not read; one of this size has some 400,000 entries.
const TREE_BYTES_MAX: u64 = 16 << 20;
/// What it takes to load an object: itself, and for a delta its base and the instructions.
const LOAD_FACTOR: u64 = 2;

impl Reader<'_> {
    /// An object, from the cache, the packs, or beside the packs.
    pub(super) fn find_wanted(&self, sha: &Sha, wanted: Option<ObjectKind>) -> Result<Option<Arc<RawObject>>> {
        self.step()?;
        let Repository { id, cache, .. } = self.repository;
        if let Some(object) = cache.get(*id, sha) {
            return Ok(Some(object));
        }
        self.check_may_block()?;
        let removals = self.repository.removals();
        let packed = match self.load(sha, wanted, Lookup::KnownPacks)? {
            Packed::Absent => match self.beside.find(sha)? {
                Some(object) => return Ok(Some(object)),
                None => self.load(sha, wanted, Lookup::NewPacksToo)?,
            },
            packed => packed,
        };
        let object = match packed {
            Packed::Object(object) => Arc::new(object),
            Packed::Unwanted => return Ok(None),
            Packed::Absent => return self.check_absent(sha).map(|()| None),
        };
        cache.insert(*id, &object, || self.repository.removals() == removals);
        Ok(Some(object))
    }

    /// Reads an object from the packs. Its size is known, and paid for, before it is in memory.
    fn load(&self, sha: &Sha, wanted: Option<ObjectKind>, lookup: Lookup) -> Result<Packed> {
        let store = &self.repository.store;
        let Some((kind, size)) = store.header(sha, lookup)? else { return Ok(Packed::Absent) };
        if size > MESSAGE_BYTES_MAX && wanted.is_some_and(|wanted| wanted != kind) {
            return Ok(Packed::Unwanted);
        }
        if self.budget.is_limited() {
            check_size(kind, size)?;
        }
        self.budget.load(size)?;
        let mut reserved = self.budget.reserve(size * LOAD_FACTOR)?;
        let found = store.find(sha, lookup)?;
        if let Some(reserved) = &mut reserved {
            reserved.shrink(size);
        }
        Ok(found.map_or(Packed::Absent, |object| Packed::Object(object.holding(reserved))))
    }
}

/// What was found in the packs.
enum Packed {
    Object(RawObject),
    /// An object of another kind that is too large to be loaded for nothing.
    Unwanted,
    Absent,
}

fn check_size(kind: ObjectKind, size: u64) -> Result<()> {
    match kind {
        ObjectKind::Commit | ObjectKind::Tag if size > MESSAGE_BYTES_MAX => {
            Err(Error::OverBudget("A commit or tag is too large to be read."))
        }
        ObjectKind::Tree if size > TREE_BYTES_MAX => Err(Error::OverBudget("A directory has too many entries.")),
        ObjectKind::Commit | ObjectKind::Tag | ObjectKind::Tree | ObjectKind::Blob => Ok(()),
    }
}
