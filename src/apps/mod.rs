//! Apps, their keys and their installations on accounts.

mod key;
mod model;
pub mod store;

pub use key::{AppKey, KeyError, fingerprint, generate_key, public_key_of};
pub use model::{App, EventNames, Installation, Suspension};
