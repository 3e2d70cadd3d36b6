//! Apps, their keys and their installations on accounts.

mod key;
mod model;
mod operations;
pub mod store;

pub use key::{AppKey, KeyError, fingerprint, generate_key, public_key_of, read_public_key};
pub use model::{App, AppKind, EventNames, Installation, KeyEntry, Suspension};
pub use operations::{Registration, new_client_secret, register};
