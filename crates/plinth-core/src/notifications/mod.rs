//! Notifications of users about pull requests and issues.

pub mod model;
pub mod operations;
mod recipients;
pub mod store;

pub use model::{Notice, NoticeSubject, NotifiedComment, Reason, Recipient};
pub use operations::notify;
pub(crate) use recipients::{find_mentions, find_mentions_in, recipients};
pub(crate) use store::can_read;
