//! Validation of reviews.

use super::model::{Review, ReviewState};
use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;

const COMMENTS_MAX: usize = 100;

/// A comment or a request for changes needs a text or comments, and authors cannot approve or reject their own work.
pub fn check_submission(
    pull_author: Option<AccountId>,
    author: AccountId,
    state: ReviewState,
    body: &str,
    comment_count: usize,
) -> Result<()> {
    let own = pull_author == Some(author);
    match state {
        ReviewState::Approved if own => Err(Error::unprocessable("Can not approve your own pull request")),
        ReviewState::ChangesRequested if own => {
            Err(Error::unprocessable("Can not request changes on your own pull request"))
        }
        ReviewState::ChangesRequested | ReviewState::Commented if body.trim().is_empty() && comment_count == 0 => {
            Err(Error::unprocessable("Review body can't be blank"))
        }
        ReviewState::Pending | ReviewState::Approved | ReviewState::ChangesRequested | ReviewState::Commented => Ok(()),
    }
}

pub fn check_comment_count(count: usize) -> Result<()> {
    if count <= COMMENTS_MAX {
        return Ok(());
    }
    let sentence = format!("No more than {COMMENTS_MAX} items are allowed; {count} were supplied.");
    Err(Error::Shape(vec![format!("For 'properties/comments', {sentence}")]))
}

pub fn check_pending(review: &Review, act: &str) -> Result<()> {
    match review.state {
        ReviewState::Pending => Ok(()),
        ReviewState::Commented | ReviewState::Approved | ReviewState::ChangesRequested => {
            Err(Error::unprocessable(format!("Can not {act} a non-pending pull request review")))
        }
    }
}
