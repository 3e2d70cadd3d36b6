//! The reference servers that the service is compared with: this program, started in a role.

mod bare;
mod database;
mod http_backend;
mod insert;
mod listener;
mod minimal_writer;
mod postgres;
mod recorded;
mod role;

pub use database::{Synchronous, open as open_database};
pub use insert::Insert;
pub use recorded::{NOT_MODIFIED, RecordedResponses};
pub use role::{Role, parse_address, serve};
