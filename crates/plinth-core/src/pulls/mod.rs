//! Pull requests: a proposal to bring the commits of one branch into another, and its versions.

mod by_commit;
mod cache;
pub mod diff_context;
pub mod events;
mod input;
pub mod listing;
mod mergeability;
pub mod model;
mod on_demand;
pub mod operations;
mod pushed_merge;
mod refresh_store;
pub mod rules;
mod sent_branches;
pub mod store;
pub mod threads;
mod versions;

pub use by_commit::find_by_commit;
pub use cache::{PullCache, find_cached, new_pull_cache};
pub use input::{NewPullRequest, PullRequestChanges};
pub use on_demand::{Refreshes, test_merge_later};
pub use sent_branches::{SentBranches, send_branches};
pub use store::gc_roots;
pub use versions::{PendingRefresh, authors, catch_up, refresh, refresh_later, refresh_pull, refs_moved};
