//! Fields of projects.

mod input;
pub mod model;
pub mod operations;
mod reading;
pub mod rules;
pub mod store;

pub use input::{NewField, NewIteration, NewIterations, NewOption, OwnField, OwnKind};
pub use reading::{Found, ProjectFieldCache, Wanted, new_project_field_cache, read};
