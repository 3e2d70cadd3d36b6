//! What happens to every request before and after its handler.

mod authentication;
mod early;
mod finish;
mod forwarded;
mod head;
mod request_id;
mod response_cache;
mod service;

pub use head::{HEADER_BYTES_MAX, URI_BYTES_MAX};
pub use service::ApiService;
