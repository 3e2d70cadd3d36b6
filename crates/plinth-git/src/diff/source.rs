//! Where compared objects are read from.

use std::cell::RefCell;
use std::sync::Arc;

use crate::budget::Budget;
use crate::object::{ObjectSource, RawObject};
use crate::reader::Reader;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

/// A repository as far as comparing needs it.
pub trait Source: ObjectSource {
    /// How large an object is, without reading it.
    fn size(&self, sha: &Sha) -> Result<u64>;

    /// The shortest name that `git diff` would print for an object that may be missing here.
    fn abbreviation(&self, sha: &Sha) -> Result<String>;

    /// What the comparison may cost.
    fn budget(&self) -> &Budget {
        Budget::unlimited()
    }

    /// Fails where a fast_path has to do: what follows takes longer.
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

/// The tree of nothing, which a first commit is compared with. Git knows it without anyone ever storing it.
pub const EMPTY_TREE: Sha = Sha::from_bytes([
    0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6, 0x92, 0x88, 0xfb, 0xee, 0x49,
    0x04,
]);

/// The object, whose absence is a fault: a tree names it.
pub(super) fn object(source: &dyn Source, sha: &Sha) -> Result<Arc<RawObject>> {
    source.find(sha)?.ok_or_else(|| missing(sha))
}

/// The tree of a commit, or a tree itself; `NotFound` if there is no such object.
pub(super) fn tree(source: &dyn Source, sha: &Sha) -> Result<Arc<RawObject>> {
    let found = match source.find(sha)? {
        None if *sha == EMPTY_TREE => return Ok(Arc::new(RawObject::new(ObjectKind::Tree, Vec::new())?)),
        found => found.ok_or(Error::NotFound)?,
    };
    match found.kind() {
        ObjectKind::Tree => Ok(found),
        ObjectKind::Commit => {
            let tree_id = gix::objs::CommitRefIter::from_bytes(found.data(), gix::hash::Kind::Sha1).tree_id();
            object(source, &crate::to_sha(&tree_id.map_err(super::fault)?))
        }
        ObjectKind::Tag | ObjectKind::Blob => Err(Error::NotFound),
    }
}

fn missing(sha: &Sha) -> Error {
    super::fault(format_args!("{sha} is missing"))
}

/// The same, for gix to read from. It passes errors on as text, so the error itself stays here.
pub(super) struct Objects<'a> {
    pub source: &'a dyn Source,
    pub failure: RefCell<Option<Error>>,
}

impl gix::objs::Find for Objects<'_> {
    fn try_find<'b>(&self, id: &gix::oid, buffer: &'b mut Vec<u8>) -> gix::Result<Option<gix::objs::Data<'b>>> {
        let found = super::entry::sha(id).and_then(|sha| self.source.find(&sha));
        let found = found.map_err(|error| {
            *self.failure.borrow_mut() = Some(error);
            gix::Error::from_error(std::io::Error::other("an object cannot be read"))
        });
        let Some(object) = found? else { return Ok(None) };
        buffer.clear();
        buffer.extend_from_slice(object.data());
        Ok(Some(gix::objs::Data::new(buffer, crate::object::to_gix(object.kind()), gix::hash::Kind::Sha1)))
    }
}
