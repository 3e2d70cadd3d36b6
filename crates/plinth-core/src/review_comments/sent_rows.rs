//! Rows of a new comment that were sent to the database, and whose ids are not known yet.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, CommentId, PullId, ReviewId, Sha};
use plinth_store::{Sent, Transaction};

use super::comment_context::{self, CachedCommentContext};
use super::model::{PublishedComment, StartedThread};
use super::positions::{Located, insert_thread};
use super::reviews::model::ReviewState;
use super::reviews::store as reviews;
use super::{rules, store, thread_start};

/// A thread that was sent, with its first comment and the review of that.
pub(super) enum SentStart {
    /// In one statement.
    Together(Sent<Vec<StartedThread>>),
    Apart {
        review: SentReview,
        thread: i64,
        comment: Sent<Vec<(CommentId,)>>,
    },
}

impl SentStart {
    pub async fn send(
        tx: &mut Transaction,
        comment: &PublishedComment<'_>,
        (version, located): (i64, &Located),
        now: Timestamp,
    ) -> Result<Self> {
        if tx.sends_together() && located.is_anchored_in_range() {
            return Ok(Self::Together(thread_start::send(tx, comment, (version, &located.thread), now).await?));
        }
        let review = SentReview::send(tx, comment, located.thread.anchor.head, now).await?;
        let thread = insert_thread(tx, comment.repo, (comment.pull, version), located).await?;
        let comment = store::send_insert(tx, comment, (review.known(), thread), now).await?;
        Ok(Self::Apart { review, thread, comment })
    }

    pub async fn rows(
        self,
        tx: &mut Transaction,
        cached: Option<&CachedCommentContext>,
        (pull, author): (PullId, AccountId),
    ) -> Result<StartedThread> {
        match self {
            Self::Together(sent) => {
                let started = tx.rows(sent).await?.pop().ok_or(Error::NotFound)?;
                if started.has_pending { Err(rules::has_pending()) } else { Ok(started) }
            }
            Self::Apart { review, thread, comment } => {
                let context = comment_context::resolve(tx, cached, pull, author).await?;
                let (review, (comment,)) = (review.id(tx).await?, tx.row(comment).await?);
                Ok(StartedThread { review, thread, comment, has_pending: false, context })
            }
        }
    }
}

/// A comment outside a review gets a review of its own. That is an error while its author has a pending review.
pub(super) struct SentReview {
    pending: Sent<Vec<(ReviewId,)>>,
    review: Sent<Vec<(ReviewId,)>>,
}

impl SentReview {
    pub async fn send(tx: &mut Transaction, new: &PublishedComment<'_>, commit: Sha, now: Timestamp) -> Result<Self> {
        let PublishedComment { repo, pull, author, .. } = *new;
        let pending = reviews::send_pending(tx, pull, author).await?;
        let new = reviews::NewReview { repo, pull, author, state: ReviewState::Commented, body: "", commit };
        Ok(Self { pending, review: reviews::send_insert(tx, &new, now).await? })
    }

    pub fn known(&self) -> Option<ReviewId> {
        self.review.known().and_then(|rows| rows.first()).map(|(id,)| *id)
    }

    pub async fn id(self, tx: &mut Transaction) -> Result<ReviewId> {
        if !tx.rows(self.pending).await?.is_empty() {
            return Err(rules::has_pending());
        }
        Ok(tx.row(self.review).await?.0)
    }
}
