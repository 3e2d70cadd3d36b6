//! Differences between commits: files, lines, positions in a patch, and where a commented line has gone.
//!
//! Everything here is a blocking, pure function of objects that never change, and equals what `git diff` prints.

mod comparison;
mod comparisons;
mod computed;
mod edits;
mod entry;
mod file;
mod generations;
mod indent;
mod lines;
mod measure;
mod myers;
mod port;
mod prune;
mod quote;
mod rename;
mod similarity;
mod slide;
mod source;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod unified;
mod visitor;

pub use comparison::{Comparison, Target};
pub use comparisons::{Between, Comparisons};
pub use entry::{Entry, Mode};
pub use file::{FileDiff, Side};
pub use port::{Anchor, Port, Subject, port};
pub use source::{EMPTY_TREE, Source};
pub use text::RowKind;
pub use tree::{FileChange, Status, changes, entry_at};
pub use unified::unified;

use plinth_base::error::Error;

/// A repository that cannot be read is our fault, never the caller's.
fn fault(error: impl std::fmt::Display) -> Error {
    Error::internal(error.to_string())
}
