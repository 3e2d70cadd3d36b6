//! Comments written and removed, each in one transaction with all that follows from it.

use super::locate::Located;
use super::model::{Comment, NewComment};
use super::reviews::model::ReviewState;
use super::reviews::store as reviews;
use super::{rules, store};
use crate::clock::Timestamp;
use crate::db::Connection;
use crate::error::{Error, Result};
use crate::ids::{AccountId, CommentId, PullId, RepoId, ReviewId, Sha};
use crate::notifications::{self, Notice, Reason};
use crate::pulls::model::Pull;
use crate::pulls::{self, threads};

/// A comment about to begin a thread.
#[derive(Debug, Clone)]
pub struct Begin {
    pub repo: RepoId,
    pub pull: PullId,
    /// The version in which the place was looked up.
    pub version: i64,
    pub located: Located,
    pub author: AccountId,
    pub body: String,
    pub mentions: Vec<String>,
}

/// A comment about to answer another.
#[derive(Debug, Clone)]
pub struct Reply {
    pub repo: RepoId,
    pub pull: PullId,
    pub in_reply_to: CommentId,
    pub author: AccountId,
    pub body: String,
    pub mentions: Vec<String>,
}

/// Begins a thread with a review of its own.
pub async fn begin(tx: &mut Connection, new: &Begin, now: Timestamp) -> Result<Comment> {
    let pull = get_pull(tx, new.pull).await?;
    let commit = new.located.thread.anchor.head;
    let review = new_review(tx, &pull, new.author, commit, now).await?;
    let thread = insert_thread(tx, new.repo, (new.pull, new.version), &new.located).await?;
    let comment = NewComment {
        repo: new.repo,
        pull: new.pull,
        review,
        thread,
        in_reply_to: None,
        author: new.author,
        pending: false,
        body: new.body.clone(),
    };
    let id = insert_seen(tx, &pull, &comment, &new.mentions, now).await?;
    get(tx, new.repo, id, new.author).await
}

/// Answers a comment that begins a thread of this very pull request.
pub async fn reply(tx: &mut Connection, new: &Reply, now: Timestamp) -> Result<Comment> {
    let root = store::find(tx, new.repo, new.in_reply_to, Some(new.author)).await?;
    let root = root.filter(|root| root.pull_id == new.pull).ok_or(Error::NotFound)?;
    if root.in_reply_to_id.is_some() {
        return Err(rules::reply_to_reply());
    }
    let pull = get_pull(tx, new.pull).await?;
    let review = new_review(tx, &pull, new.author, root.thread.head_sha, now).await?;
    let comment = NewComment {
        repo: new.repo,
        pull: new.pull,
        review,
        thread: root.thread.id,
        in_reply_to: Some(root.id),
        author: new.author,
        pending: false,
        body: new.body.clone(),
    };
    let id = insert_seen(tx, &pull, &comment, &new.mentions, now).await?;
    get(tx, new.repo, id, new.author).await
}

/// Removes a comment; answers to it stay, a thread or a review that it leaves empty does not.
pub async fn delete(tx: &mut Connection, repo: RepoId, id: CommentId, viewer: Option<AccountId>) -> Result<()> {
    let comment = store::find(tx, repo, id, viewer).await?.ok_or(Error::NotFound)?;
    store::delete(tx, id).await?;
    if !comment.pending {
        pulls::store::add_review_comments(tx, comment.pull_id, -1).await?;
    }
    threads::store::delete_if_empty(tx, comment.thread.id).await?;
    reviews::delete_if_empty(tx, comment.review_id).await?;
    Ok(())
}

/// Stores a thread together with its place in the version it was looked up in.
pub async fn insert_thread(
    tx: &mut Connection,
    repo: RepoId,
    (pull, version): (PullId, i64),
    located: &Located,
) -> Result<i64> {
    let thread = threads::store::insert(tx, repo, (pull, version), &located.thread).await?;
    threads::store::insert_place(tx, thread, &located.range, &located.place).await?;
    Ok(thread)
}

/// Tells everyone whom a comment concerns.
pub async fn notify(
    tx: &mut Connection,
    pull: &Pull,
    (comment, thread): (CommentId, i64),
    author: AccountId,
    mentions: &[String],
    now: Timestamp,
) -> Result<()> {
    let mut recipients: Vec<_> = pull.author.id().map(|author| (author, Reason::Author)).into_iter().collect();
    let participants = store::list_participants(tx, thread).await?;
    recipients.extend(participants.into_iter().map(|(participant,)| (participant, Reason::Comment)));
    let notice = Notice { repo: pull.repo_id, pull: pull.id, comment, actor: author, recipients, mentions };
    notifications::notify(tx, &notice, now).await
}

async fn insert_seen(
    tx: &mut Connection,
    pull: &Pull,
    new: &NewComment,
    mentions: &[String],
    now: Timestamp,
) -> Result<CommentId> {
    let id = store::insert(tx, new, now).await?;
    pulls::store::add_review_comments(tx, pull.id, 1).await?;
    store::touch_pull(tx, pull.id, now).await?;
    notify(tx, pull, (id, new.thread), new.author, mentions, now).await?;
    Ok(id)
}

/// Every comment that is sent by itself has a review of its own, unless its author has one that is still open.
async fn new_review(
    tx: &mut Connection,
    pull: &Pull,
    author: AccountId,
    commit: Sha,
    now: Timestamp,
) -> Result<ReviewId> {
    if reviews::has_pending(tx, pull.id, author).await? {
        return Err(rules::has_pending());
    }
    let new = reviews::NewReview { pull, author, state: ReviewState::Commented, body: "", commit };
    Ok(reviews::insert(tx, &new, now).await?)
}

async fn get_pull(tx: &mut Connection, id: PullId) -> Result<Pull> {
    pulls::store::find_by_id(tx, id).await?.ok_or(Error::NotFound)
}

async fn get(tx: &mut Connection, repo: RepoId, id: CommentId, viewer: AccountId) -> Result<Comment> {
    let found = store::find(tx, repo, id, Some(viewer)).await?;
    found.ok_or_else(|| Error::internal("a comment was just stored"))
}
