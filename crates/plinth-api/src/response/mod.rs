//! What handlers return, and how errors look.

pub mod api_response;
pub mod error_response;
pub mod headers;
pub mod large_body;
