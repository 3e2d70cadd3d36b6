//! Creating Git objects through the API.

mod input;
mod operations;
pub mod rules;

pub use input::{Encoding, NewBlob, NewCommit, NewEntry, NewTag, NewTree, Person};
pub(crate) use operations::{caller_identity, check_submodules};
pub use operations::{create_blob, create_commit, create_tag, create_tree};
