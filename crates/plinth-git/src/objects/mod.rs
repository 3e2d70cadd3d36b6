//! Git objects: their bytes under their name, and sources to read them from.

pub(crate) mod commit;
pub(crate) mod identity;
pub(crate) mod tag;
pub(crate) mod tree;
pub(crate) mod tree_edit;

use std::collections::HashMap;
use std::sync::Arc;

use crate::budget::{AttachedReservation, Reserved};
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, Sha};

pub(crate) const fn to_gix(kind: ObjectKind) -> gix_object::Kind {
    match kind {
        ObjectKind::Commit => gix_object::Kind::Commit,
        ObjectKind::Tree => gix_object::Kind::Tree,
        ObjectKind::Blob => gix_object::Kind::Blob,
        ObjectKind::Tag => gix_object::Kind::Tag,
    }
}

pub(crate) const fn from_gix(kind: gix_object::Kind) -> ObjectKind {
    match kind {
        gix_object::Kind::Commit => ObjectKind::Commit,
        gix_object::Kind::Tree => ObjectKind::Tree,
        gix_object::Kind::Blob => ObjectKind::Blob,
        gix_object::Kind::Tag => ObjectKind::Tag,
    }
}

/// One whole object, under the name that its bytes hash to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawObject {
    sha: Sha,
    kind: ObjectKind,
    data: Vec<u8>,
    reservation: AttachedReservation,
}

impl RawObject {
    /// Hashes the bytes. Fails only for a SHA-1 collision attack.
    pub fn new(kind: ObjectKind, data: Vec<u8>) -> Result<Self> {
        let oid = gix_object::compute_hash(gix_hash::Kind::Sha1, to_gix(kind), &data)
            .map_err(|_| Error::unprocessable("The content is a SHA-1 collision attack."))?;
        Ok(Self { sha: crate::to_sha(&oid), kind, data, reservation: AttachedReservation::default() })
    }

    /// A blob with this content.
    pub fn blob(content: impl Into<Vec<u8>>) -> Result<Self> {
        Self::new(ObjectKind::Blob, content.into())
    }

    /// Bytes that were read under a name, which [`RawObject::has_own_name`] checks.
    pub(crate) fn read_as(sha: Sha, kind: ObjectKind, data: Vec<u8>) -> Self {
        Self { sha, kind, data, reservation: AttachedReservation::default() }
    }

    /// Releases the reservation together with the object.
    pub(crate) fn with_reservation(self, reserved: Option<Reserved>) -> Self {
        Self { reservation: reserved.into(), ..self }
    }

    /// Whether the bytes hash to the name. Those of a damaged pack may not.
    pub(crate) fn has_own_name(&self) -> bool {
        let oid = gix_object::compute_hash(gix_hash::Kind::Sha1, to_gix(self.kind), &self.data);
        oid.is_ok_and(|oid| crate::to_sha(&oid) == self.sha)
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

/// Objects by name: a repository, a table, or memory.
pub trait ObjectSource {
    /// The object, or `None` if it is not here.
    fn find(&self, sha: &Sha) -> Result<Option<Arc<RawObject>>>;

    /// Objects that must exist, read when `sha` is not found: `sha` itself if something names it, and a few others, to
    /// distinguish a repository that has lost its packs from one that never had the object.
    fn required(&self, _sha: &Sha) -> Result<Vec<Sha>> {
        Ok(Vec::new())
    }
}

/// The overlay of readers that read packs only.
pub struct NoObjects;

impl ObjectSource for NoObjects {
    fn find(&self, _: &Sha) -> Result<Option<Arc<RawObject>>> {
        Ok(None)
    }
}

/// New objects that are not stored yet.
#[derive(Default)]
pub struct MemoryObjects(HashMap<Sha, Arc<RawObject>>);

impl MemoryObjects {
    /// Adds the object and returns its name.
    pub fn insert(&mut self, object: RawObject) -> Sha {
        let sha = object.sha();
        self.0.entry(sha).or_insert_with(|| Arc::new(object));
        sha
    }

    /// Adds all objects of another collection.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All objects, sorted by name.
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
