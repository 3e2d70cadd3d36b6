//! Labels of repositories, and which issues and pull requests have them.

pub mod events;
mod input;
mod model;
pub mod operations;
pub mod rules;
pub mod store;

pub use input::{LabelChange, NewLabel};
pub use model::Label;
