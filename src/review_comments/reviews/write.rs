//! Reviews made, submitted and thrown away, each in one transaction.

use std::collections::HashMap;
use std::sync::Arc;

use super::model::{Review, ReviewState};
use super::{rules, store};
use crate::clock::Timestamp;
use crate::db::Transaction;
use crate::error::{Error, Result};
use crate::ids::{AccountId, CommentId, PullId, ReviewId, Sha};
use crate::notifications::{self, Notice};
use crate::pulls;
use crate::pulls::model::{Pull, PullFacts};
use crate::pulls::threads;
use crate::review_comments::locate::Located;
use crate::review_comments::model::NewComment;
use crate::review_comments::{rules as comment_rules, store as comments, write};

/// A review about to be made, with its comments.
#[derive(Debug, Clone)]
pub struct New {
    pub pull: Arc<PullFacts>,
    pub author: AccountId,
    pub state: ReviewState,
    pub body: String,
    pub commit: Sha,
    pub comments: Vec<Draft>,
}

/// A comment of a review about to be made.
#[derive(Debug, Clone)]
pub struct Draft {
    pub body: String,
    pub located: Located,
    pub mentions: Vec<AccountId>,
}

/// Whom the comments of a review mention, found before the transaction.
pub type Mentions = HashMap<CommentId, Vec<AccountId>>;

pub async fn create(tx: &mut Transaction, new: &New, now: Timestamp) -> Result<Review> {
    let pull = pulls::store::find_by_id(tx, new.pull.id).await?.ok_or(Error::NotFound)?;
    if store::has_pending(tx, pull.id, new.author).await? {
        return Err(comment_rules::has_pending());
    }
    let row = store::NewReview {
        repo: pull.repo_id,
        pull: pull.id,
        author: new.author,
        state: ReviewState::Pending,
        body: &new.body,
        commit: new.commit,
    };
    let review = store::insert(tx, &row, now).await?;
    let mut mentions = Mentions::new();
    for draft in &new.comments {
        let thread = write::insert_thread(tx, pull.repo_id, (pull.id, new.pull.version.number), &draft.located).await?;
        let comment = NewComment {
            repo: pull.repo_id,
            pull: pull.id,
            review,
            thread,
            in_reply_to: None,
            author: new.author,
            pending: true,
            body: draft.body.clone(),
        };
        let id = comments::insert(tx, &comment, now).await?;
        mentions.insert(id, draft.mentions.clone());
    }
    match new.state {
        ReviewState::Pending => {}
        state @ (ReviewState::Commented | ReviewState::Approved | ReviewState::ChangesRequested) => {
            publish(tx, &pull, (review, &mentions), new.author, (state, &new.body), now).await?;
        }
    }
    get(tx, pull.id, review, new.author).await
}

/// Shows a pending review to everyone.
pub async fn submit(
    tx: &mut Transaction,
    pull: PullId,
    (id, mentions): (ReviewId, &Mentions),
    author: AccountId,
    (state, body): (ReviewState, Option<&str>),
    now: Timestamp,
) -> Result<Review> {
    let pull = pulls::store::find_by_id(tx, pull).await?.ok_or(Error::NotFound)?;
    let review = get(tx, pull.id, id, author).await?;
    rules::check_pending(&review, "submit")?;
    let body = body.unwrap_or(&review.body).to_owned();
    let comment_count = store::list_comments(tx, id).await?.len();
    rules::check_verdict(pull.author.id(), author, state, &body, comment_count)?;
    publish(tx, &pull, (id, mentions), author, (state, &body), now).await?;
    get(tx, pull.id, id, author).await
}

/// Throws a pending review away with its comments.
pub async fn delete(tx: &mut Transaction, pull: PullId, id: ReviewId, author: AccountId) -> Result<Review> {
    let review = get(tx, pull, id, author).await?;
    rules::check_pending(&review, "delete")?;
    let comments = store::list_comments(tx, id).await?;
    store::delete(tx, id).await?;
    for (_, thread) in comments {
        threads::store::delete_if_empty(tx, thread).await?;
    }
    Ok(review)
}

async fn publish(
    tx: &mut Transaction,
    pull: &Pull,
    (id, mentions): (ReviewId, &Mentions),
    author: AccountId,
    (state, body): (ReviewState, &str),
    now: Timestamp,
) -> Result<()> {
    store::submit(tx, id, state, body, now).await?;
    let shown = store::show_comments(tx, id).await?;
    pulls::store::add_review_comments(tx, pull.id, i64::try_from(shown).unwrap_or_default(), now).await?;
    // Its threads begin with it and nobody else has seen them, so nobody else takes part in them yet.
    let comments = store::list_comments(tx, id).await?;
    let recipients = comments.iter().flat_map(|(comment, _)| {
        let mentions = mentions.get(comment).map(Vec::as_slice).unwrap_or_default();
        write::recipients(*comment, pull.author.id(), &[], mentions)
    });
    let recipients = recipients.collect();
    let notice = Notice { repo: pull.repo_id, pull: pull.id, actor: author, reader: None, recipients };
    notifications::notify(tx, &notice, now).await
}

async fn get(tx: &mut Transaction, pull: PullId, id: ReviewId, viewer: AccountId) -> Result<Review> {
    store::find(tx, pull, id, Some(viewer)).await?.ok_or(Error::NotFound)
}
