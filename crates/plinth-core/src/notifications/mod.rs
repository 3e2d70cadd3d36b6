//! Notifications: who should look at which pull request again, and why.

pub mod model;
pub mod operations;
pub mod store;

pub use model::Reason;
pub use operations::{Notice, Recipient, notify};
pub(crate) use store::can_read;
