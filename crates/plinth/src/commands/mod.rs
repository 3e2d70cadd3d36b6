//! The commands that change or check a store, one module each.

mod accounts;
pub mod app;
mod arguments;
pub mod check;
pub mod device;
pub mod hook;
pub mod import;
pub mod installation;
mod key_output;
mod lookup;
pub mod org;
mod purge;
pub mod repo;
pub mod token;
pub mod user;
