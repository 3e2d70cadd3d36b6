//! Attacks on the whole program. Each one must leave it running, within its memory limit, and serving everyone else.
//!
//! Assertions check memory and what other callers get, never absolute time.

mod connections;
mod deletion;
mod hidden;
mod memory_limit;
mod objects;
mod permissions;
mod permits;
mod prefixes;
mod purge;
mod queries;
mod revocation;
pub mod support;
mod writer;
