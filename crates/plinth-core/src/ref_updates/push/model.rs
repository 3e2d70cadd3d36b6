//! The commands of a push and their outcomes.

use std::fmt;

use plinth_base::ids::Sha;
use plinth_git::{ObjectKind, RefName, RefNameError};

use crate::access::WriteAccess;
use crate::ref_updates::RefConflict;
use crate::refs::Change;
use crate::repos::GitRepo;

/// The right to push.
pub type Pusher = WriteAccess<GitRepo>;

/// One command of a push: a ref name, the target that the client expects, and the new target. The name is not validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    pub name: String,
    pub old: Option<Sha>,
    pub new: Option<Sha>,
}

/// A change that passed validation before the transaction, or why it did not.
pub type ValidatedUpdate = Result<Change, UpdateRejection>;

/// The outcome of one update.
pub type UpdateOutcome = Result<(), UpdateRejection>;

/// Why one update is rejected, in words that git shows next to the ref name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateRejection {
    Name(RefNameError),
    NotBelowRefs,
    Reserved,
    /// The short name is that of a commit, or a full name.
    Ambiguous,
    Twice,
    MissingObjects,
    NotACommit(ObjectKind),
    Workflows,
    DefaultBranch,
    Stale,
    DirectoryFileConflict(RefName),
    /// Another update of the same atomic push is rejected.
    Atomic,
    /// An atomic push changes more refs than this.
    TooManyAtomic(usize),
    /// The push ended before this update.
    Stopped,
    /// The pack of the push is rejected.
    Pack,
}

impl From<RefConflict> for UpdateRejection {
    fn from(conflict: RefConflict) -> Self {
        match conflict {
            RefConflict::Stale => UpdateRejection::Stale,
            RefConflict::DirectoryFileConflict(other) => UpdateRejection::DirectoryFileConflict(other),
        }
    }
}

impl fmt::Display for UpdateRejection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UpdateRejection::Name(error) => write!(out, "bad name: {error}"),
            UpdateRejection::NotBelowRefs => {
                out.write_str("bad name: it must begin with refs/ and have at least three parts")
            }
            UpdateRejection::Reserved => out.write_str("the name is reserved for the server"),
            UpdateRejection::Ambiguous => {
                out.write_str("branch or tag names that are commit ids or begin with refs/ are not allowed")
            }
            UpdateRejection::Twice => out.write_str("the push changes this name more than once"),
            UpdateRejection::MissingObjects => out.write_str("missing necessary objects"),
            UpdateRejection::NotACommit(kind) => write!(out, "a branch must point at a commit, not at a {kind}"),
            UpdateRejection::Workflows => {
                out.write_str("the token may not change workflow files: it lacks the workflow scope or permission")
            }
            UpdateRejection::DefaultBranch => out.write_str("cannot delete the default branch"),
            UpdateRejection::Stale => out.write_str("the name has moved meanwhile: fetch first"),
            UpdateRejection::DirectoryFileConflict(other) => write!(out, "directory/file conflict with {other}"),
            UpdateRejection::Atomic => out.write_str("atomic push: another update was rejected"),
            UpdateRejection::TooManyAtomic(limit) => write!(out, "an atomic push changes at most {limit} names"),
            UpdateRejection::Stopped => out.write_str("the push was stopped before this name"),
            UpdateRejection::Pack => out.write_str("unpacker error"),
        }
    }
}
