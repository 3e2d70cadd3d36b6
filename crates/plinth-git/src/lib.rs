//! Reading and making Git objects: the only place that names gix or starts git.
//!
//! Everything here blocks, and nothing here knows SQL or HTTP. A repository on disk is packs without refs:
//! what a name points at is known by the store alone, so callers pass object ids in and get object ids back.

mod ancestry;
mod budget;
mod cache;
mod child;
mod commit;
mod commit_graph;
mod compare;
mod damage;
pub mod diff;
mod durable;
mod history;
mod identity;
mod import;
mod maintenance;
mod object;
mod object_store;
mod pack;
mod pack_indexes;
pub mod pkt_line;
mod program;
mod quarantine;
mod reach;
mod reader;
mod receive;
mod repositories;
mod repository;
mod snapshot;
mod staging;
mod tag;
mod trailer;
mod tree;
mod tree_edit;
mod tree_walk;
mod upload_pack;
mod verify;
mod walk;
mod watchdog;

#[cfg(test)]
mod tests;

pub use ancestry::CommitRange;
pub use budget::{Budget, BudgetLimits, Cancellation, Interest, LongWork, Memory, Reserved, Sent};
pub use child::{Limits, program_version};
pub use commit::{Commit, CommitSignature, NewCommit};
pub use commit_graph::GraphLayers;
pub use damage::{Damage, damaged_objects};
pub use durable::create_directories;
pub use history::{History, HistoryCommit, HistoryTag, Refs};
pub use identity::{Date, Identity};
pub use import::Imported;
pub use maintenance::Superseded;
pub use object::{MemoryObjects, NoObjects, ObjectSource, RawObject};
pub use pack_indexes::PackIndexes;
pub use plinth_base::ids::{ObjectKind, RefName, RefNameError};
pub use program::check_program;
pub use quarantine::Quarantine;
pub use reader::{Header, Reader, WouldBlock};
pub use receive::PackLimits;
pub use repositories::{Repositories, pack_directory};
pub use repository::Repository;
pub use snapshot::{PackFile, PackSnapshot, RemovalHold, RemovalPermit};
pub use staging::Staged;
pub use tag::{NewTag, Tag};
pub use trailer::TrailerCheck;
pub use tree::{EntryMode, TreeEntry};
pub use tree_edit::{TreeChange, TreeEdit};
pub use tree_walk::{PathEntry, TreeLimits, TreeListing};
pub use upload_pack::{Protocol, UploadPack, UploadPackChild};
pub use verify::{Connectivity, PackProblem, Repairable};

use plinth_base::error::Error;
use plinth_base::ids::Sha;

fn to_oid(sha: &Sha) -> gix::ObjectId {
    gix::ObjectId::Sha1(*sha.as_bytes())
}

fn to_sha(oid: &gix::hash::oid) -> Sha {
    Sha::from_bytes(oid.as_bytes().try_into().expect("only SHA-1 repositories are opened"))
}

/// A fault in what is on disk; the reader can do nothing about it.
fn broken(error: impl std::fmt::Display) -> Error {
    Error::internal(format!("git objects: {error}"))
}
