//! Issue fields: what an organization wants to know about all its issues.

pub mod changes;
mod handlers;
pub mod json;
pub mod model;
pub mod rules;
pub mod store;

use crate::api::access::table::{CreateIssueField, DeleteIssueField, ListIssueFields, UpdateIssueField};
use crate::api::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListIssueFields, _, _>(handlers::list)
        .on::<CreateIssueField, _, _>(handlers::create)
        .on::<UpdateIssueField, _, _>(handlers::update)
        .on::<DeleteIssueField, _, _>(handlers::delete)
}
