//! The vocabulary of HTTP that every area speaks: who may call, what is sent, what is answered.

pub mod access;
mod addresses;
pub mod body;
pub mod conditional;
mod credential;
pub mod cursor;
mod envelope;
pub mod exchange;
mod gate;
pub mod headers;
mod health;
pub mod limits;
pub mod media;
pub mod metrics;
pub mod page;
pub mod reply;
pub mod routes;
pub mod shape;
pub mod version;

pub use gate::Gate;
