//! Repositories and their collaborators.

pub mod deletion;
pub mod events;
mod input;
pub mod license_texts;
pub mod lists;
mod model;
mod name;
pub mod operations;
pub mod rules;
pub mod statistics;
pub mod store;
mod target;
pub(crate) mod viewer;

pub use input::{NewRepository, RepoEdit};
pub use model::Repo;
pub use name::{RepoName, RepoNameError, name_key};
pub use operations::RepoTexts;
pub use store::RepoWithRole;
pub use target::{GitRepo, RepoAccess, RepoAccessCache, RepoTarget};
