//! Git objects, packs, history and diffs: the only crate that uses gix or runs git.
//!
//! Everything here blocks, and nothing here knows SQL or HTTP. A repository on disk has packs but no refs: only the
//! database knows what a ref points at, so callers pass object ids in and get object ids back.

mod budget;
mod child;
mod commit_graph;
pub mod diff;
mod durable;
mod history;
mod maintenance;
mod merge;
mod objects;
mod packs;
pub mod pkt_line;
mod reader;
mod repositories;
mod repository;
mod retention;
mod shared_packs;
#[cfg(test)]
mod tests;
mod transfer;

pub use budget::{Budget, BudgetLimits, Cancellation, Interest, LongWork, Memory, Reserved, Sent};
pub use child::{Limits, check_program, program_version};
pub use durable::create_directories;
pub use history::{History, HistoryCommit, HistoryTag, Refs};
pub use maintenance::{GraphLayers, Superseded};
pub use merge::Merger;
pub use objects::commit::{Commit, CommitSignature, NewCommit};
pub use objects::identity::{Date, Identity};
pub use objects::tag::{NewTag, Tag};
pub use objects::tree::{EMPTY_TREE, EntryMode, TreeEntry, is_valid_path};
pub use objects::tree_edit::{TreeChange, TreeEdit};
pub use objects::{MemoryObjects, NoObjects, ObjectSource, RawObject};
pub use packs::checksum::TrailerCheck;
pub use packs::damage::{Damage, damaged_objects};
pub use packs::indexes::PackIndexes;
pub use plinth_base::ids::{ObjectKind, RefName, RefNameError};
pub use reader::{
    Ambiguous, CommitRange, Header, LogFilter, LogPage, PathEntry, Reader, TreeLimits, TreeListing, WouldBlock,
};
pub use repositories::{
    Connectivity, PackFile, PackProblem, PackSnapshot, RemovalHold, RemovalPermit, Repairable, Repositories, Staged,
    pack_directory,
};
pub use repository::Repository;
pub use shared_packs::{SharedPack, SharedPacks};
pub use transfer::import::Imported;
pub use transfer::quarantine::Quarantine;
pub use transfer::receive::PackLimits;
pub use transfer::upload_pack::{Protocol, UploadPack, UploadPackChild};

use plinth_base::error::Error;
use plinth_base::ids::Sha;

fn to_oid(sha: &Sha) -> gix_hash::ObjectId {
    gix_hash::ObjectId::Sha1(*sha.as_bytes())
}

fn to_sha(oid: &gix_hash::oid) -> Sha {
    Sha::from_bytes(oid.as_bytes().try_into().expect("only SHA-1 repositories are opened"))
}

/// Unreadable data on disk; the caller can do nothing about it.
fn broken(error: impl std::fmt::Display) -> Error {
    Error::internal(format!("git objects: {error}"))
}
