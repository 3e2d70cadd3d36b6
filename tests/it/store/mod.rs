//! The store under stress: concurrent and failing writers, a full disk, a database that fails.

mod cluster;
mod disk;
mod encrypted_database;
mod killed_database;
mod proxy;
mod silent_database;
mod versions;
mod writers;
