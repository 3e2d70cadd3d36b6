//! The context of a run, and starting the servers that it measures.

mod context;
pub mod deployment;
pub mod names;
mod postgres;
pub mod service;

pub use context::Context;
pub use deployment::{Deployment, Programs};
pub use postgres::Written;
pub use service::{Cpu, ResponseCache, ServeOptions, Webhooks};
