//! Tests that the real git program judges.

mod ancestry;
mod making;
mod reading;
mod support;
