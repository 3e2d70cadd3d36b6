//! Pull requests: a proposal to bring the commits of one branch into another, and its versions.

mod cache;
mod follow;
mod held;
mod input;
pub mod model;
mod moves;
pub mod operations;
pub mod range;
pub mod rules;
pub mod store;
pub mod threads;

pub use cache::{PullCache, find_cached};
pub use follow::{authors, catch_up, follow, follow_now, settle};
pub use held::held;
pub use input::{NewPullRequest, PullRequestChanges};
pub use moves::{Moved, refs_moved};
