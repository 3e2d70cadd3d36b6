//! The vocabulary of HTTP that every area speaks: who may call, what is sent, what is answered.

pub mod access;
mod address;
pub mod body;
pub mod conditional;
mod credential;
pub mod cursor;
mod early;
pub mod exchange;
mod finish;
mod fixed_windows;
mod gate;
pub mod handler;
mod head;
pub mod headers;
pub mod health;
mod kept;
pub mod large_body;
pub mod limits;
pub mod media;
pub mod metrics;
pub mod page;
pub mod permits;
pub mod refusal;
pub mod reply;
pub mod request_body;
mod request_id;
pub mod request_permit;
pub mod routes;
pub mod shape;
pub mod shared_object;
pub mod version;

pub use gate::Gate;
pub use head::{HEADER_BYTES_MAX, URI_BYTES_MAX};
