//! Loads objects. The size of an object is counted against the budget before it is in memory.

use std::sync::Arc;

use super::{Header, Reader};
use crate::objects::RawObject;
use crate::objects::tree::EMPTY_TREE;
use crate::packs::object_store::Lookup;
use crate::repository::Repository;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

/// Larger commits and tags are not read: their text is for people.
const MESSAGE_BYTES_MAX: u64 = 4 << 20;
/// Larger trees are not read; one of this size has some 400,000 entries.
const TREE_BYTES_MAX: u64 = 16 << 20;
/// Memory to load an object, in multiples of its size: a delta needs its base and the instructions as well.
const LOAD_FACTOR: u64 = 2;

impl Reader<'_> {
    /// Kind and size of an object, or `None` if the repository does not have it.
    pub fn find_header(&self, sha: &Sha) -> Result<Option<Header>> {
        self.step()?;
        if *sha == EMPTY_TREE {
            return Ok(Some(Header { kind: ObjectKind::Tree, size: 0 }));
        }
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
        match self.overlay.find(sha)? {
            Some(object) => Ok(Some(Header { kind: object.kind(), size: object.data().len() as u64 })),
            None => match packed(Lookup::NewPacksToo)? {
                Some(header) => Ok(Some(header)),
                None => self.check_absent(sha).map(|()| None),
            },
        }
    }

    /// Loads an object from the cache, the packs or the overlay.
    pub(super) fn find_wanted(&self, sha: &Sha, wanted: Option<ObjectKind>) -> Result<Option<Arc<RawObject>>> {
        self.step()?;
        if *sha == EMPTY_TREE {
            return Ok(Some(Arc::new(RawObject::empty_tree())));
        }
        let Repository { id, cache, .. } = self.repository;
        if let Some(object) = cache.get(*id, sha) {
            return Ok(Some(object));
        }
        self.check_may_block()?;
        let removals = self.repository.removals();
        let packed = match self.load(sha, wanted, Lookup::KnownPacks)? {
            Packed::Absent => match self.overlay.find(sha)? {
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
        let mut reserved = self.budget.reserve(size.saturating_mul(LOAD_FACTOR))?;
        let found = store.find(sha, lookup)?;
        if let Some(reserved) = &mut reserved {
            reserved.shrink(size);
        }
        Ok(found.map_or(Packed::Absent, |object| Packed::Object(object.with_reservation(reserved))))
    }

    /// Fails if the object is not absent but lost.
    fn check_absent(&self, sha: &Sha) -> Result<()> {
        let store = &self.repository.store;
        for required in self.overlay.required(sha)? {
            // The required object may have arrived after the lookup that did not find it.
            let is_there = store.header(&required, Lookup::KnownPacks)?.is_some()
                || self.overlay.find(&required)?.is_some()
                || store.header(&required, Lookup::NewPacksToo)?.is_some();
            if !is_there {
                return Err(self.missing(&required));
            }
        }
        Ok(())
    }
}

/// The result of a lookup in the packs.
enum Packed {
    Object(RawObject),
    /// An object of another kind than the wanted one, and too large to be loaded for nothing.
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
