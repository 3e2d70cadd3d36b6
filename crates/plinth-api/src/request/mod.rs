//! What handlers read from a request.

mod allowed;
pub mod body;
pub mod conditional;
pub mod context;
pub mod cursor;
pub mod handler;
pub mod page;
pub mod request_body;
pub mod request_permit;
pub mod response_memory;
pub mod shape;
mod shared;

pub use allowed::Allowed;
pub use shared::shared;
