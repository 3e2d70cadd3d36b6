//! References as the service keeps them.

use plinth_base::ids::Sha;
use plinth_git::{ObjectKind, RefName};
use plinth_store::from_row;

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
