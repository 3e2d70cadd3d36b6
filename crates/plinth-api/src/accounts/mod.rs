//! Users and organizations.

mod handlers;
pub mod json;
mod user;

use crate::policy::table::{CheckOrgMember, GetAuthenticatedUser, GetOrg, GetUser, ListOrgMembers};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<GetAuthenticatedUser, _, _>(handlers::get_own)
        .on::<GetUser, _, _>(handlers::get_user)
        .on::<GetOrg, _, _>(handlers::get_org)
        .on::<ListOrgMembers, _, _>(handlers::list_members)
        .on::<CheckOrgMember, _, _>(handlers::check_member)
}
