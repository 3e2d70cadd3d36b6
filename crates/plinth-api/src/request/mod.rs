//! What handlers read from a request.

pub mod body;
pub mod conditional;
pub mod context;
pub mod cursor;
pub mod handler;
pub mod media;
pub mod page;
pub mod request_body;
pub mod request_permit;
pub mod shape;
pub mod version;
