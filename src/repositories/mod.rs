//! Repositories by themselves: made, shown, deleted.

mod handlers;
mod json;
mod rules;

use crate::api::access::table::{CreateOrgRepo, CreateOwnRepo, DeleteRepo, GetRepo};
use crate::api::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<GetRepo, _, _>(handlers::get)
        .on::<CreateOwnRepo, _, _>(handlers::create_own)
        .on::<CreateOrgRepo, _, _>(handlers::create_in_org)
        .on::<DeleteRepo, _, _>(handlers::delete)
}
