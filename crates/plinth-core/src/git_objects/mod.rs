//! Creating Git objects through the API.

mod input;
mod operations;
pub mod rules;

pub use input::{Encoding, NewBlob, NewCommit, NewEntry, NewTag, NewTree, Person};
pub use operations::{create_blob, create_commit, create_tag, create_tree};
