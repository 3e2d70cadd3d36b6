//! References: names for objects, kept in the store alone and changed by comparing first.

mod apply;
mod model;
pub mod rules;
pub mod store;

pub use apply::{Refused, apply};
pub use model::{Change, Ref, Target};
