//! Values of an organization's issue fields on its issues.

mod input;
mod model;
mod operations;
pub mod rules;
pub mod store;

pub use input::{FieldValueInput, NewFieldValue};
pub use model::{FieldValue, ValueOption};
pub use operations::{Replaced, add, change, delete, set};
