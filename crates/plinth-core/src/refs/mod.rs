//! Refs: names for objects, stored in the database alone. `ref_updates` has the operations that change them.

mod model;
pub mod rules;
pub mod store;

pub use model::{Change, Ref, Target};
