//! The data directory: who owns it, and how commands and the server open what is in it.

mod lock;
mod node;
mod open;
mod shared;

pub use lock::{DataLock, running_on};
pub use node::read_node_id;
