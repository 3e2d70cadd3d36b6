//! Labels of repositories.

pub mod body;
mod handlers;
pub mod json;

use crate::policy::table::{CreateLabel, DeleteLabel, GetLabel, ListLabels, UpdateLabel};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListLabels, _, _>(handlers::list)
        .on::<CreateLabel, _, _>(handlers::create)
        .on::<GetLabel, _, _>(handlers::get)
        .on::<UpdateLabel, _, _>(handlers::update)
        .on::<DeleteLabel, _, _>(handlers::delete)
}
