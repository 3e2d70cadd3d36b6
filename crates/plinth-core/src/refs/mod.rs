//! Refs: names of objects, stored in the database only. `ref_updates` has the operations that change them.

mod cache;
pub mod dependencies;
mod directory_conflicts;
mod model;
pub mod new_refs;
pub mod rules;
pub mod store;

pub(crate) use cache::{RefCache, add_to_cache, new_ref_cache};
pub use cache::{find_and_cache, find_cached};
pub use directory_conflicts::{find_directory_file_conflict, has_many_parents};
pub use model::{Change, Ref, Target};
