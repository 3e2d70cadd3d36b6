//! Refs: names of objects, stored in the database only. `ref_updates` has the operations that change them.

mod model;
pub mod rules;
pub mod store;

pub use model::{Change, Ref, Target};
