//! Tests that the real git program judges.

mod making;
mod reading;
mod support;
