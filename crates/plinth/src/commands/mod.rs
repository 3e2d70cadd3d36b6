//! The commands that change or check a store, one module each.

mod accounts;
pub mod app;
mod arguments;
pub mod check;
mod check_objects;
pub mod device;
pub mod hook;
pub mod import;
pub mod installation;
mod key_output;
mod lookup;
pub mod move_store;
pub mod org;
mod purge;
pub mod repo;
pub mod token;
pub mod user;
