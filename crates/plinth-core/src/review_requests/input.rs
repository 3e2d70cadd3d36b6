//! Input to request reviews.

/// The body of `POST` and `DELETE …/pulls/{pull_number}/requested_reviewers`.
#[derive(Debug, Clone)]
pub struct Reviewers {
    pub users: Vec<String>,
    pub teams: Vec<String>,
}
