//! Creating, changing and deleting one file by a commit on a branch.

mod input;
mod operations;
mod rules;

pub use input::{FileChange, FileCommit};
pub use operations::{Changed, WrittenFile, change};
