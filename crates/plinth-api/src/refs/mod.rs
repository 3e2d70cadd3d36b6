//! Git references.

pub mod body;
mod handlers;
pub mod json;
mod listing;

use crate::policy::table::{CreateRef, DeleteRef, GetRef, GetRefOrPrefix, ListMatchingRefs, ListRefs, UpdateRef};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListMatchingRefs, _, _>(handlers::list_matching)
        .on::<GetRef, _, _>(handlers::get)
        .on::<CreateRef, _, _>(handlers::create)
        .on::<UpdateRef, _, _>(handlers::update)
        .on::<DeleteRef, _, _>(handlers::delete)
        .on::<ListRefs, _, _>(handlers::list)
        .on::<GetRefOrPrefix, _, _>(handlers::get_or_list)
}
