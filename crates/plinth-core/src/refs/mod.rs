//! Refs: names of objects, stored in the database only. `ref_updates` has the operations that change them.

pub mod dependencies;
mod directory_conflicts;
mod model;
pub mod new_refs;
pub mod rules;
pub mod store;

pub use directory_conflicts::{find_directory_file_conflict, has_many_parents};
pub use model::{Change, Ref, Target};
