//! Repositories.

pub mod body;
mod handlers;
pub mod json;

use crate::policy::table::{CreateOrgRepo, CreateOwnRepo, DeleteRepo, GetRepo};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<GetRepo, _, _>(handlers::get)
        .on::<CreateOwnRepo, _, _>(handlers::create_own)
        .on::<CreateOrgRepo, _, _>(handlers::create_in_org)
        .on::<DeleteRepo, _, _>(handlers::delete)
}
