//! Refs as they are stored.

use plinth_base::ids::Sha;
use plinth_git::{ObjectKind, RefName};
use plinth_store::from_row;

/// A ref name and its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ref {
    pub name: RefName,
    pub target: Sha,
    /// The kind of the target. An object never changes its kind, so it is stored with the ref.
    pub kind: ObjectKind,
}

from_row!(Ref { name, target, kind });

impl Ref {
    pub fn at(name: &RefName, target: Target) -> Self {
        Self { name: name.clone(), target: target.sha, kind: target.kind }
    }
}

/// An object that a ref points at or will point at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub sha: Sha,
    pub kind: ObjectKind,
}

/// A change of a ref from the expected old target to the new one; `None` means absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub name: RefName,
    pub old: Option<Sha>,
    pub new: Option<Target>,
}

impl Change {
    pub fn is_creation(&self) -> bool {
        self.old.is_none() && self.new.is_some()
    }
}
