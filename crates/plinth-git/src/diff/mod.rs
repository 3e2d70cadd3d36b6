//! Differences between commits: files, lines, positions in a patch, and the current position of a commented line.
//!
//! Everything here is a blocking, pure function of immutable objects, and equals what `git diff` prints.

mod anchor;
mod binary;
mod cache;
mod change;
mod comparison;
mod entry;
mod file;
mod lines;
mod patch;
mod rename;
mod similarity;
mod source;
#[cfg(test)]
mod tests;
mod tree;
mod unified;

pub use crate::objects::tree::EMPTY_TREE;
pub use anchor::{Anchor, Reanchored, Subject, reanchor};
pub use binary::BinaryFiles;
pub use cache::{Between, Comparisons};
pub use change::{FileChange, Status};
pub use comparison::{Comparison, Target};
pub use entry::{Entry, FileMode};
pub use file::{FileDiff, Side};
pub use patch::RowKind;
pub use source::Source;
pub use tree::{changes, changes_without_renames, entry_at};
pub use unified::unified;

use plinth_base::error::Error;

/// An unreadable repository is an internal error, never the caller's.
fn fault(error: impl std::fmt::Display) -> Error {
    Error::internal(error.to_string())
}
