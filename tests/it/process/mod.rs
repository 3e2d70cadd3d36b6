//! The program itself: connections, signals, restarts and what it writes down.

mod backups;
mod connections;
mod crashes;
mod demo;
pub mod full_disk;
mod hostile;
mod logs;
mod malformed;
mod messages;
mod operating;
mod owners;
mod server;
mod stopping;
mod verifying;

pub use server::{PATIENCE, Raw, Reply, Server, begin_post, eventually, fetch, get_page, try_get, try_request};
