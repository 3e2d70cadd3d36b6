//! Input to create or change a pull request.

use super::model::PullState;

/// The body of `POST …/pulls`.
#[derive(Debug, Clone)]
pub struct NewPullRequest {
    pub title: String,
    pub head: String,
    pub base: String,
    pub body: Option<String>,
    pub draft: bool,
}

/// The body of `PATCH …/pulls/{pull_number}`.
#[derive(Debug, Clone)]
pub struct PullRequestChanges {
    pub title: Option<String>,
    pub body: Option<Option<String>>,
    pub state: Option<PullState>,
    pub base: Option<String>,
}
