//! The load generator: one thread, many connections, one request at a time on each.
//!
//! For throughput, each connection sends its next request when it has its response. For latency, requests are due at
//! fixed times whether or not the server keeps up, and are timed from when they were due, so that a server that stalls
//! pays for every request that waited meanwhile (no coordinated omission).

mod connection;
mod generator;
mod measurement;
mod random;
mod workload;

pub use generator::{Load, Pace, Processes, fill, run};
pub use measurement::Measurement;
pub use random::{Random, Zipf};
pub use workload::{Generated, Replay, Workload};
