//! Statuses of commits.

pub mod body;
mod handlers;
pub mod json;

use crate::policy::table::{CreateStatus, GetCombinedStatus, ListStatuses};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<CreateStatus, _, _>(handlers::create)
        .on::<ListStatuses, _, _>(handlers::list)
        .on::<GetCombinedStatus, _, _>(handlers::get_combined)
}
