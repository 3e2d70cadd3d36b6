//! Branches and tags by their short names.

mod handlers;
pub mod json;

use crate::policy::table::{GetBranch, ListBranches, ListTags};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListBranches, _, _>(handlers::list)
        .on::<GetBranch, _, _>(handlers::get)
        .on::<ListTags, _, _>(handlers::list_tags)
}
