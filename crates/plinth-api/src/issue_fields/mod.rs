//! Issue fields: fields that an organization defines for its issues.

pub mod body;
mod handlers;
pub mod json;

use crate::policy::table::{CreateIssueField, DeleteIssueField, ListIssueFields, UpdateIssueField};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListIssueFields, _, _>(handlers::list)
        .on::<CreateIssueField, _, _>(handlers::create)
        .on::<UpdateIssueField, _, _>(handlers::update)
        .on::<DeleteIssueField, _, _>(handlers::delete)
}
