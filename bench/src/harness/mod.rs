//! The context of a run, and starting the servers that it measures.

mod context;
pub mod names;
pub mod postgres;
pub mod service;

pub use context::Context;
pub use service::{Cpu, ResponseCache, ServeOptions, Webhooks};
