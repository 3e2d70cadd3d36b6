//! The context of a run, and starting the servers that it measures.

mod context;
pub mod deployment;
mod disturbance;
pub mod names;
pub mod postgres;
mod postgres_cluster;
pub mod service;

pub use context::Context;
pub use deployment::{Deployment, Programs};
pub use disturbance::Disturbances;
pub use postgres_cluster::Written;
pub use service::{Cpu, ResponseCache, ServeOptions, Webhooks};
