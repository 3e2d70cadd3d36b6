//! Reviews: comments that are submitted together, with a verdict.

mod handlers;
mod input;
mod json;
pub mod model;
mod rules;
pub mod store;
mod write;

use crate::api::access::table::{
    CreateReview, DeletePendingReview, GetReview, ListReviewCommentsOfReview, ListReviews, SubmitReview,
};
use crate::api::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListReviews, _, _>(handlers::list)
        .on::<CreateReview, _, _>(handlers::create)
        .on::<GetReview, _, _>(handlers::get)
        .on::<SubmitReview, _, _>(handlers::submit)
        .on::<DeletePendingReview, _, _>(handlers::delete)
        .on::<ListReviewCommentsOfReview, _, _>(handlers::list_comments)
}
