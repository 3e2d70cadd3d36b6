//! Projects of organizations and users, as far as clients need them to find fields.

mod color;
mod handlers;
pub mod json;
pub mod mirrors;
mod model;
mod rules;
pub mod store;
mod target;
pub mod text;
mod window;

pub use color::Color;
pub use model::Project;
pub use target::{AnyProject, OrgProject, UserProject};
pub use window::Window;

use crate::api::access::table::{GetOrgProject, GetProject, GetUserProject, ListOrgProjects, ListUserProjects};
use crate::api::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListOrgProjects, _, _>(handlers::list_for_org)
        .on::<GetOrgProject, _, _>(handlers::get_for_org)
        .on::<ListUserProjects, _, _>(handlers::list_for_user)
        .on::<GetUserProject, _, _>(handlers::get_for_user)
        .on::<GetProject, _, _>(handlers::get_by_id)
}
