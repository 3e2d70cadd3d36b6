//! References as the service keeps them.

use crate::db::{Column, DbError, Parameter, Value, from_row};
use crate::git::{ObjectKind, RefName};
use crate::ids::Sha;

/// A name and what it points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ref {
    pub name: RefName,
    pub target: Sha,
    /// What kind of object the target is; it never changes, so it is kept beside the name.
    pub kind: ObjectKind,
}

from_row!(Ref { name, target, kind });

/// An object that a name may point at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub sha: Sha,
    pub kind: ObjectKind,
}

/// One step of a name: from what it must be now to what it becomes, `None` standing for absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub name: RefName,
    pub old: Option<Sha>,
    pub new: Option<Target>,
}

impl Column for RefName {
    type Raw = String;

    fn from_raw(raw: String) -> Result<Self, DbError> {
        RefName::parse(&raw).map_err(|error| DbError::Fault(format!("{raw:?} in the store: {error}").into()))
    }
}

impl Parameter for RefName {
    fn value(&self) -> Value<'_> {
        Value::Text(self.as_str())
    }
}

impl Column for ObjectKind {
    type Raw = String;

    fn from_raw(raw: String) -> Result<Self, DbError> {
        [ObjectKind::Commit, ObjectKind::Tag, ObjectKind::Tree, ObjectKind::Blob]
            .into_iter()
            .find(|kind| kind.as_str() == raw)
            .ok_or_else(|| DbError::Fault(format!("unknown kind of object {raw:?} in the store").into()))
    }
}

impl Parameter for ObjectKind {
    fn value(&self) -> Value<'_> {
        Value::Text(self.as_str())
    }
}
