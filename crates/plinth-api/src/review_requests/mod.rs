//! Requests to review pull requests.

pub mod body;
mod handlers;
pub mod json;

use crate::policy::table::{ListRequestedReviewers, RemoveRequestedReviewers, RequestReviewers};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListRequestedReviewers, _, _>(handlers::list)
        .on::<RequestReviewers, _, _>(handlers::request)
        .on::<RemoveRequestedReviewers, _, _>(handlers::remove)
}
