//! Notifications of users about pull requests.

pub mod model;
pub mod operations;
pub mod store;

pub use model::{Notice, Reason, Recipient};
pub use operations::notify;
pub(crate) use store::can_read;
