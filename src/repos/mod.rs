//! Repositories and who may do what in them.

pub mod json;
mod model;
mod name;
pub mod store;

pub use model::{Repo, RepoRole};
pub use name::{RepoName, RepoNameError, name_key};
