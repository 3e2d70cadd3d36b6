//! The program itself: connections, signals, restarts and what it writes down.

mod connections;
mod crashes;
mod hostile;
mod logs;
mod server;
mod stopping;

pub use server::{Reply, Server, begin_post, eventually, try_get};
