//! Pull requests, their files and commits.

pub mod body;
mod extract;
mod handlers;
pub mod json;

pub use extract::FoundPull;
pub use handlers::commit::{find_named, find_target};
pub use handlers::commit_reports::get_commit;
pub use handlers::commits::{COMMITS_MAX, find_people, read_commits, shown_bytes};
pub use handlers::files::FileReader;
pub use handlers::{complete, find_pull, patch, ready_one};

use crate::policy::table::{
    CreatePull, GetPull, GetRepoCommit, ListCheckRuns, ListPullCommits, ListPullFiles, ListPulls, ListPullsOfCommit,
    UpdatePull,
};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListPulls, _, _>(handlers::list)
        .on::<CreatePull, _, _>(handlers::create)
        .on::<GetPull, _, _>(handlers::get)
        .on::<UpdatePull, _, _>(handlers::update)
        .on::<ListPullFiles, _, _>(handlers::files::list)
        .on::<ListPullCommits, _, _>(handlers::commits::list)
        .on::<GetRepoCommit, _, _>(handlers::commit::get)
        .on::<ListCheckRuns, _, _>(handlers::commit_reports::check_runs)
        .on::<ListPullsOfCommit, _, _>(handlers::commit_reports::pulls)
}
