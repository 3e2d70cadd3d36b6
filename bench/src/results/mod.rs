//! Results as plain data: rows return them, the report shows them.

mod figure;
mod row;
mod target;

pub use figure::{Figure, significant};
pub use row::{Growth, Latency, Results, Row, Series};
pub use target::{Check, Target};
