//! Pull request review comments: comments on lines of a diff, re-anchored when the code moves, and the reviews they
//! belong to.

pub mod body;
mod extract;
mod fragments;
mod handlers;
pub mod json;
mod pages;
mod reading;
pub mod resolutions;
pub mod reviews;

use crate::policy::table::{
    CreateReplyForReviewComment, CreateReviewComment, DeleteReviewComment, GetReviewComment, ListRepoReviewComments,
    ListReviewComments, UpdateReviewComment,
};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListRepoReviewComments, _, _>(handlers::list_for_repo)
        .on::<GetReviewComment, _, _>(handlers::get)
        .on::<UpdateReviewComment, _, _>(handlers::update)
        .on::<DeleteReviewComment, _, _>(handlers::delete)
        .on::<ListReviewComments, _, _>(handlers::list)
        .on::<CreateReviewComment, _, _>(handlers::create)
        .on::<CreateReplyForReviewComment, _, _>(handlers::reply)
        .merge(resolutions::routes())
        .merge(reviews::routes())
}
