//! The store under stress: concurrent and failing writers, a full disk, a database that fails.

mod batches;
#[expect(dead_code, reason = "shared with the fault suite, which uses the rest")]
pub mod cluster;
mod contention;
mod disk;
mod encrypted_database;
mod index_reads;
mod killed_database;
pub mod proxy;
mod round_trips;
mod shared_commits;
mod silent_database;
mod versions;
mod writers;
