//! What every crate uses: ids, time, errors and URLs.

pub mod clock;
pub mod error;
pub mod ids;
mod json_schema;
pub mod urls;
