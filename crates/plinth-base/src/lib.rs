//! What every crate uses: ids, time, errors, URLs and the cache type.

pub mod cache;
pub mod clock;
pub mod error;
pub mod ids;
pub mod urls;
