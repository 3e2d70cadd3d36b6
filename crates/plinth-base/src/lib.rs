//! What every crate uses: ids, time, errors and URLs.

pub mod clock;
pub mod error;
pub mod ids;
pub mod urls;
