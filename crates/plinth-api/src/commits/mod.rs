//! Histories, and comparisons of two commits. A single commit with its changes is in [`pulls`](crate::pulls).

mod compare;
mod handlers;
pub mod json;

use crate::policy::table::{CompareCommits, ListCommits};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default().on::<ListCommits, _, _>(handlers::list).on::<CompareCommits, _, _>(compare::get)
}
