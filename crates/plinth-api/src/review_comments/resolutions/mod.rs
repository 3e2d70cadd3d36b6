//! Threads of review comments, and whether they are resolved.

mod handlers;
pub mod json;

use crate::policy::table::{ListReviewThreads, ResolveReviewThread, UnresolveReviewThread};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListReviewThreads, _, _>(handlers::list)
        .on::<ResolveReviewThread, _, _>(handlers::resolve)
        .on::<UnresolveReviewThread, _, _>(handlers::unresolve)
}
