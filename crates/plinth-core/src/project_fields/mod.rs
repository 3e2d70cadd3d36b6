//! Fields of projects.

mod input;
pub mod model;
pub mod operations;
pub mod rules;
pub mod store;

pub use input::{NewField, NewIteration, NewIterations, NewOption, OwnField, OwnKind};
