//! The store under pressure: many writers, failing ones, a full disk, a database that dies.

mod cluster;
mod disk;
mod encrypted_database;
mod killed_database;
mod silent_database;
mod versions;
mod writers;
