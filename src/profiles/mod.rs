//! Users and organizations by themselves.

mod handlers;

use crate::api::access::table::{GetAuthenticatedUser, GetOrg, GetUser};
use crate::api::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<GetAuthenticatedUser, _, _>(handlers::get_own)
        .on::<GetUser, _, _>(handlers::get_user)
        .on::<GetOrg, _, _>(handlers::get_org)
}
