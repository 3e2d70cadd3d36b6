//! What handlers return, and how errors look.

pub mod api_response;
pub mod buffers;
pub mod content_type;
pub mod error_response;
pub mod headers;
