//! Seeds: data to measure on, created once with the service's own commands and API and reused by later runs.

mod cache;
mod fast_import;
pub mod growth;
pub mod large_repo;
pub mod long_history;
pub mod many_refs;
pub mod nodes;
pub mod reanchor;
pub mod spread;
pub mod standard;
pub mod state;
pub mod traffic;
pub mod wide_pull;

pub use cache::copy_data;
pub use spread::SpreadSeed;
pub use standard::StandardSeed;
