//! What pages show, as the API describes it.

mod conversations;
mod git;
mod organizations;

pub use conversations::{Comment, Issue, Label, Notification, Pull, Release, Review, ReviewComment, Side, Thread};
pub use git::{Branch, ChangedFile, Commit, Comparison, Content, Entry, FileStatus, Tag};
pub use organizations::{
    Account, DeviceRequest, Field, IssueField, Iteration, Project, ProjectItem, Repository, SelectedRepositories,
};

use serde::Deserialize;

/// An account, where something names it.
#[derive(Debug, Clone, Deserialize)]
pub struct User {
    pub id: i64,
    pub login: String,
}

impl User {
    /// The page of the account; an app's account has that of the app.
    pub fn page(&self) -> String {
        match self.login.strip_suffix("[bot]") {
            Some(slug) => format!("/apps/{}", crate::text::segment(slug)),
            None => format!("/{}", crate::text::segment(&self.login)),
        }
    }
}
