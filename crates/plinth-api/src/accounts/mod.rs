//! Users and organizations.

mod handlers;
pub mod json;
mod user;

use crate::policy::table::{
    CheckOrgMember, GetAuthenticatedUser, GetOrg, GetUser, ListOrgMembers, ListOwnOrgs, ListUserOrgs,
};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<GetAuthenticatedUser, _, _>(handlers::get_own)
        .on::<GetUser, _, _>(handlers::get_user)
        .on::<GetOrg, _, _>(handlers::get_org)
        .on::<ListOwnOrgs, _, _>(handlers::list_own_orgs)
        .on::<ListUserOrgs, _, _>(handlers::list_user_orgs)
        .on::<ListOrgMembers, _, _>(handlers::list_members)
        .on::<CheckOrgMember, _, _>(handlers::check_member)
}
