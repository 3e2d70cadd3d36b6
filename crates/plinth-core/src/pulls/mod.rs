//! Pull requests: a proposal to bring the commits of one branch into another, and its versions.

mod cache;
mod gc_roots;
mod input;
pub mod model;
mod moves;
pub mod operations;
pub mod range;
mod refresh;
pub mod rules;
pub mod store;
pub mod threads;

pub use cache::{PullCache, find_cached, new_pull_cache};
pub use gc_roots::gc_roots;
pub use input::{NewPullRequest, PullRequestChanges};
pub use moves::{Moved, refs_moved};
pub use refresh::{authors, catch_up, refresh, refresh_later, refresh_pull};
