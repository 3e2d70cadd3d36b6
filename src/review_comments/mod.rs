//! Pull request review comments: remarks on lines of a diff that follow the code, and the reviews they belong to.

mod found;
mod ground;
mod handlers;
mod input;
mod json;
mod locate;
mod mentions;
mod model;
mod present;
pub mod reviews;
mod rules;
mod store;
mod write;

pub use ground::Footing;
pub use input::{At, Subject};
pub use locate::{Located, locate};
pub use rules::{Misplaced, check_body};
pub use write::{Begin, Reply, begin, reply};

use crate::api::access::table::{
    CreateReplyForReviewComment, CreateReviewComment, DeleteReviewComment, GetReviewComment, ListRepoReviewComments,
    ListReviewComments, UpdateReviewComment,
};
use crate::api::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListRepoReviewComments, _, _>(handlers::list_for_repo)
        .on::<GetReviewComment, _, _>(handlers::get)
        .on::<UpdateReviewComment, _, _>(handlers::update)
        .on::<DeleteReviewComment, _, _>(handlers::delete)
        .on::<ListReviewComments, _, _>(handlers::list)
        .on::<CreateReviewComment, _, _>(handlers::create::create)
        .on::<CreateReplyForReviewComment, _, _>(handlers::create::reply)
        .merge(reviews::routes())
}
