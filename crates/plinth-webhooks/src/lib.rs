//! Delivery of webhooks (docs/decisions/0137-events-and-webhooks.md): the HTTP client with its check of addresses, the
//! signatures, and the tasks that work on the queue. Nothing but the binary uses this crate.

pub mod address;
mod attempt;
mod batch;
pub mod client;
mod error;
mod fault;
pub mod metrics;
mod pool;
mod queue;
pub mod request;
mod retry;
mod signature;
pub mod target;
pub mod tls;
mod worker;

pub use error::SendError;
pub use fault::{DeliveryFault, DeliveryFaults};
pub use queue::{Deliveries, Running};
pub use worker::DeliverySettings;
