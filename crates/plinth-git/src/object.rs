//! Objects as bytes with a name, and where they can be found.

use std::collections::HashMap;
use std::sync::Arc;

use super::budget::Reserved;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

pub(super) const fn to_gix(kind: ObjectKind) -> gix::objs::Kind {
    match kind {
        ObjectKind::Commit => gix::objs::Kind::Commit,
        ObjectKind::Tree => gix::objs::Kind::Tree,
        ObjectKind::Blob => gix::objs::Kind::Blob,
        ObjectKind::Tag => gix::objs::Kind::Tag,
    }
}

pub(super) const fn from_gix(kind: gix::objs::Kind) -> ObjectKind {
    match kind {
        gix::objs::Kind::Commit => ObjectKind::Commit,
        gix::objs::Kind::Tree => ObjectKind::Tree,
        gix::objs::Kind::Blob => ObjectKind::Blob,
        gix::objs::Kind::Tag => ObjectKind::Tag,
    }
}

/// One object in full, under the name that its bytes give it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawObject {
    sha: Sha,
    kind: ObjectKind,
    data: Vec<u8>,
    held: Held,
}

/// What an object takes of the memory for large objects, for as long as it lives. It is no part of what the object is.
#[derive(Debug, Clone, Default)]
struct Held(#[expect(dead_code, reason = "dropping it gives the memory back")] Option<Arc<Reserved>>);

impl PartialEq for Held {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Held {}

impl RawObject {
    /// Names the bytes. Fails only for bytes made to collide with others under SHA-1.
    pub fn new(kind: ObjectKind, data: Vec<u8>) -> Result<Self> {
        let oid = gix::objs::compute_hash(gix::hash::Kind::Sha1, to_gix(kind), &data)
            .map_err(|_| Error::unprocessable("The content is a SHA-1 collision attack."))?;
        Ok(Self { sha: super::to_sha(&oid), kind, data, held: Held::default() })
    }

    /// A blob with this content.
    pub fn blob(content: impl Into<Vec<u8>>) -> Result<Self> {
        Self::new(ObjectKind::Blob, content.into())
    }

    /// Bytes that were read under a name; [`RawObject::has_own_name`] says whether it is theirs.
    pub(super) fn read_as(sha: Sha, kind: ObjectKind, data: Vec<u8>) -> Self {
        Self { sha, kind, data, held: Held::default() }
    }

    /// Ties the memory that was reserved for the object to its life.
    pub(super) fn holding(self, reserved: Option<Reserved>) -> Self {
        Self { held: Held(reserved.map(Arc::new)), ..self }
    }

    /// Whether the bytes give this name. Those of a damaged pack may not.
    pub(super) fn has_own_name(&self) -> bool {
        let oid = gix::objs::compute_hash(gix::hash::Kind::Sha1, to_gix(self.kind), &self.data);
        oid.is_ok_and(|oid| super::to_sha(&oid) == self.sha)
    }

    pub fn sha(&self) -> Sha {
        self.sha
    }

    pub fn kind(&self) -> ObjectKind {
        self.kind
    }

    /// The content, without git's header.
    pub fn data(&self) -> &[u8] {
        &self.data
    }
}

impl AsRef<RawObject> for RawObject {
    fn as_ref(&self) -> &RawObject {
        self
    }
}

/// A place where objects can be found by name: a repository, a table, or memory.
pub trait ObjectSource {
    /// The object, or nothing if it is not here.
    fn find(&self, sha: &Sha) -> Result<Option<Arc<RawObject>>>;

    /// Objects that must be in the repository, asked for when `sha` is not: `sha` itself if something names it, and a
    /// few others, by which a repository that has lost its packs is told from one that never had the object.
    fn required(&self, _sha: &Sha) -> Result<Vec<Sha>> {
        Ok(Vec::new())
    }
}

/// The source for readers that have nothing beside the packs.
pub struct NoObjects;

impl ObjectSource for NoObjects {
    fn find(&self, _: &Sha) -> Result<Option<Arc<RawObject>>> {
        Ok(None)
    }
}

/// Objects that are made but not stored yet.
#[derive(Default)]
pub struct MemoryObjects(HashMap<Sha, Arc<RawObject>>);

impl MemoryObjects {
    /// Keeps the object and tells its name.
    pub fn insert(&mut self, object: RawObject) -> Sha {
        let sha = object.sha();
        self.0.entry(sha).or_insert_with(|| Arc::new(object));
        sha
    }

    /// Takes all objects of another collection in.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in the order of their names.
    pub fn into_sorted(self) -> Vec<Arc<RawObject>> {
        let mut objects: Vec<_> = self.0.into_values().collect();
        objects.sort_unstable_by_key(|object| object.sha());
        objects
    }
}

impl ObjectSource for MemoryObjects {
    fn find(&self, sha: &Sha) -> Result<Option<Arc<RawObject>>> {
        Ok(self.0.get(sha).cloned())
    }
}
