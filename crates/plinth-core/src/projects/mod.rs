//! Projects of organizations and users, as far as clients need them for fields.

mod color;
pub mod events;
mod model;
pub mod operations;
pub mod rules;
pub mod store;
mod target;
pub mod text;

pub use color::Color;
pub use model::Project;
pub use store::ProjectWithRole;
pub use target::{AnyProject, OrgProject, ProjectAccessCache, UserProject, new_project_access_cache};
