//! Items of projects: issues and pull requests, with the values of the project's fields.

pub mod events;
mod input;
mod model;
pub mod operations;
mod readable;
pub mod rules;
pub mod store;

pub use input::{FieldChange, NewItem, ValueInput};
pub use model::{Content, ContentKind, ItemValue, ProjectItem};
pub use readable::ContentRepo;
