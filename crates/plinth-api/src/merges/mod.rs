//! Merges of pull requests and branches.

pub mod body;
mod handlers;
pub mod json;

use crate::policy::table::{CheckPullMerged, MergeBranch, MergePull, UpdatePullBranch};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<CheckPullMerged, _, _>(handlers::check_merged)
        .on::<MergePull, _, _>(handlers::merge_pull)
        .on::<UpdatePullBranch, _, _>(handlers::update_branch)
        .on::<MergeBranch, _, _>(handlers::merge_branch)
}
