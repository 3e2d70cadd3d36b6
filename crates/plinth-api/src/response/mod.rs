//! What handlers return, and how errors look.

pub mod error_response;
pub mod headers;
pub mod large_body;
pub mod reply;
