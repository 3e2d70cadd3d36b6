//! Reviews: comments that are submitted together, with an approval or a request for changes.

pub mod body;
mod handlers;
pub mod json;

use crate::policy::table::{
    AddReviewComment, CreateReview, DeletePendingReview, GetReview, ListReviewCommentsOfReview, ListReviews,
    SubmitReview,
};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListReviews, _, _>(handlers::list)
        .on::<CreateReview, _, _>(handlers::create)
        .on::<GetReview, _, _>(handlers::get)
        .on::<SubmitReview, _, _>(handlers::submit)
        .on::<DeletePendingReview, _, _>(handlers::delete)
        .on::<AddReviewComment, _, _>(handlers::add_comment)
        .on::<ListReviewCommentsOfReview, _, _>(handlers::list_comments)
}
