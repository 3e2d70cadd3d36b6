//! Repositories and who may do what in them.

mod input;
mod model;
mod name;
pub mod operations;
pub mod rules;
pub mod store;

pub use input::NewRepository;
pub use model::{Repo, RepoRole};
pub use name::{RepoName, RepoNameError, name_key};
