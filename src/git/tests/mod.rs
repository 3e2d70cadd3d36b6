//! Tests that the real git program judges.

mod ancestry;
mod hostile;
mod making;
mod moving;
mod reading;
mod receiving;
mod serving;
mod support;
