//! Comments on issues and pull requests, outside of reviews.

mod handlers;
pub mod json;

use crate::policy::table::{
    CreateIssueComment, DeleteIssueComment, GetIssueComment, ListIssueComments, ListRepoIssueComments,
    UpdateIssueComment,
};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListIssueComments, _, _>(handlers::list)
        .on::<CreateIssueComment, _, _>(handlers::create)
        .on::<ListRepoIssueComments, _, _>(handlers::list_for_repo)
        .on::<GetIssueComment, _, _>(handlers::get)
        .on::<UpdateIssueComment, _, _>(handlers::update)
        .on::<DeleteIssueComment, _, _>(handlers::delete)
}
