//! Tests of the running program: connections, signals, restarts, backups and logs.

mod backups;
mod connections;
mod crashes;
mod demo;
mod files;
pub mod full_disk;
mod hostile;
mod logs;
mod malformed;
mod messages;
mod operating;
pub mod owners;
mod server;
mod stopping;
mod verifying;

pub use crate::support::wait::{DEADLINE, wait_until};
use crate::support::{fixtures, wait};
pub use server::{HttpResponse, Raw, Server, begin_post, fetch, get_page, program_path, try_get, try_request};
