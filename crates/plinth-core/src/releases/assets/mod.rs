//! Files of releases. Their bytes are in the database, in chunks, so that backups and other nodes have them
//! ([decision 0141](../../../../../docs/decisions/0141-release-assets.md)).
//!
//! An upload is a row that nobody sees and its chunks, each written in a transaction of its own. The last transaction makes
//! the file visible. What broken uploads and deletions leave is removed in the background.

mod digest;
mod maintenance;
mod operations;
mod rules;
pub mod store;

pub use digest::{Digest, digest};
pub use maintenance::remove_leftovers;
pub use operations::{AssetUpdate, NewAsset, Upload, delete, update};
pub(super) use operations::{insert, normalized};

/// Bytes of a chunk; the last one of a file may have fewer.
pub const CHUNK_BYTES: usize = 256 * 1024;
