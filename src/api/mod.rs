//! The vocabulary of HTTP that every area speaks: who may call, what is sent, what is answered.

pub mod access;
mod address;
pub mod body;
pub mod conditional;
mod credential;
pub mod cursor;
pub mod exchange;
mod finish;
mod fixed_windows;
mod gate;
mod head;
pub mod headers;
mod health;
mod kept;
pub mod limits;
pub mod media;
pub mod metrics;
pub mod page;
pub mod refusal;
pub mod reply;
mod request_id;
pub mod routes;
pub mod shape;
pub mod version;

pub use gate::Gate;
