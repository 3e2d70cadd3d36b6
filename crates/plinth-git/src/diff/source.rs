//! The objects that a comparison reads.

use std::cell::RefCell;
use std::sync::Arc;

use crate::budget::Budget;
use crate::objects::tree::EMPTY_TREE;
use crate::objects::{ObjectSource, RawObject};
use crate::reader::Reader;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

/// What a comparison needs from a repository.
pub trait Source: ObjectSource {
    /// The size of an object, without reading it.
    fn size(&self, sha: &Sha) -> Result<u64>;

    /// The abbreviated name that `git diff` prints; the object may be missing.
    fn abbreviation(&self, sha: &Sha) -> Result<String>;

    /// The budget of the comparison.
    fn budget(&self) -> &Budget {
        Budget::unlimited()
    }

    /// Fails on the fast path: what follows may block.
    fn check_may_block(&self) -> Result<()> {
        Ok(())
    }
}

impl Source for Reader<'_> {
    fn size(&self, sha: &Sha) -> Result<u64> {
        Ok(self.find_header(sha)?.ok_or_else(|| missing(sha))?.size)
    }

    fn abbreviation(&self, sha: &Sha) -> Result<String> {
        self.abbreviate(sha)
    }

    fn budget(&self) -> &Budget {
        Reader::budget(self)
    }

    fn check_may_block(&self) -> Result<()> {
        Reader::check_may_block(self)
    }
}

/// An object that a tree names; that it is missing is an internal error.
pub(super) fn object(source: &dyn Source, sha: &Sha) -> Result<Arc<RawObject>> {
    source.find(sha)?.ok_or_else(|| missing(sha))
}

/// The tree of a commit, or a tree itself; `NotFound` if there is no such object.
pub(super) fn tree(source: &dyn Source, sha: &Sha) -> Result<Arc<RawObject>> {
    let found = match source.find(sha)? {
        None if *sha == EMPTY_TREE => return Ok(Arc::new(RawObject::empty_tree())),
        found => found.ok_or(Error::NotFound)?,
    };
    match found.kind() {
        ObjectKind::Tree => Ok(found),
        ObjectKind::Commit => {
            let tree_id = gix_object::CommitRefIter::from_bytes(found.data(), gix_hash::Kind::Sha1).tree_id();
            object(source, &crate::to_sha(&tree_id.map_err(super::fault)?))
        }
        ObjectKind::Tag | ObjectKind::Blob => Err(Error::NotFound),
    }
}

fn missing(sha: &Sha) -> Error {
    super::fault(format_args!("{sha} is missing"))
}

/// Adapts a source for gix. Gix passes errors on as text, so the first error is stored here.
pub(super) struct Objects<'a> {
    pub source: &'a dyn Source,
    pub failure: RefCell<Option<Error>>,
}

impl gix_object::Find for Objects<'_> {
    fn try_find<'b>(
        &self,
        id: &gix_hash::oid,
        buffer: &'b mut Vec<u8>,
    ) -> gix_error::Result<Option<gix_object::Data<'b>>> {
        let found = self.source.find(&crate::to_sha(id));
        let found = found.map_err(|error| {
            *self.failure.borrow_mut() = Some(error);
            gix_error::Error::from_error(std::io::Error::other("an object cannot be read"))
        });
        let Some(object) = found? else { return Ok(None) };
        buffer.clear();
        buffer.extend_from_slice(object.data());
        Ok(Some(gix_object::Data::new(buffer, crate::objects::to_gix(object.kind()), gix_hash::Kind::Sha1)))
    }
}
