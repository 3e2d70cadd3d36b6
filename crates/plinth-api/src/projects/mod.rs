//! Projects of organizations and users, as far as clients need them to find fields.

mod handlers;
pub mod json;

use crate::policy::table::{GetOrgProject, GetProject, GetUserProject, ListOrgProjects, ListUserProjects};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListOrgProjects, _, _>(handlers::list_for_org)
        .on::<GetOrgProject, _, _>(handlers::get_for_org)
        .on::<ListUserProjects, _, _>(handlers::list_for_user)
        .on::<GetUserProject, _, _>(handlers::get_for_user)
        .on::<GetProject, _, _>(handlers::get_by_id)
}
