//! Validation of requests to review.

use crate::repos::Repo;
use plinth_base::error::{Error, Result};

/// Reviewers of one pull request, as on GitHub.
const REVIEWERS_MAX: usize = 15;

pub fn check_count(reviewers: usize) -> Result<()> {
    if reviewers <= REVIEWERS_MAX {
        return Ok(());
    }
    let message = format!("A pull request can have at most {REVIEWERS_MAX} requested reviewers.");
    Err(Error::unprocessable(message))
}

pub fn is_author() -> Error {
    Error::unprocessable("Review cannot be requested from pull request author.")
}

pub fn not_a_collaborator(repo: &Repo) -> Error {
    Error::unprocessable(format!(
        "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a \
         collaborator of the {}/{} repository.",
        repo.owner_login, repo.name
    ))
}
