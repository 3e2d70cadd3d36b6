//! Pull requests: a proposal to bring the commits of one branch into another, and the versions that it goes through.

mod changes;
mod follow;
mod found;
mod handlers;
mod held;
pub mod json;
pub mod model;
mod moves;
pub mod range;
pub mod rules;
pub mod store;
pub mod threads;

pub use changes::create;
pub use follow::{authors, catch_up, follow, follow_now, settle};
pub use found::FoundPull;
pub use handlers::find;
pub use held::held;
pub use moves::{Moved, refs_moved};

use crate::api::access::table::{
    CreatePull, GetPull, GetRepoCommit, ListPullCommits, ListPullFiles, ListPulls, UpdatePull,
};
use crate::api::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListPulls, _, _>(handlers::list)
        .on::<CreatePull, _, _>(handlers::create)
        .on::<GetPull, _, _>(handlers::get)
        .on::<UpdatePull, _, _>(handlers::update)
        .on::<ListPullFiles, _, _>(handlers::files::list)
        .on::<ListPullCommits, _, _>(handlers::commits::list)
        .on::<GetRepoCommit, _, _>(handlers::commit::get)
}
