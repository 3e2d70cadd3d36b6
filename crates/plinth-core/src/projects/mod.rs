//! Projects of organizations and users, as far as clients need them to find fields.

mod color;
pub mod mirrors;
mod model;
pub mod rules;
pub mod store;
mod target;
pub mod text;
mod window;

pub use color::Color;
pub use model::Project;
pub use target::{AnyProject, OrgProject, UserProject};
pub use window::Window;
