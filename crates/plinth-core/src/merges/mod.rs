//! Merges: of a pull request into its base, of the base into a pull request, and of two branches.
//!
//! Git computes the merge before the transaction. The transaction stores the new commits, moves the branch with
//! [`move_refs`](crate::ref_updates::move_refs) and closes the pull request, if no branch has moved since.

mod branches;
mod commits;
mod input;
mod pulls;
pub mod rules;
mod write;

pub use branches::{BranchMerge, merge_branch};
pub use input::{MergeMethod, NewBranchMerge, PullMerge};
pub use pulls::{merge_pull, update_branch};
