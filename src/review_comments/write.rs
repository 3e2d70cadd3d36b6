//! Comments written and removed, each in one transaction with all that follows from it.

use super::ground::{self, Footing};
use super::locate::Located;
use super::model::{Comment, Edit, NewComment};
use super::reviews::model::ReviewState;
use super::reviews::store as reviews;
use super::{rules, store};
use crate::clock::Timestamp;
use crate::db::Transaction;
use crate::error::{Error, Result};
use crate::ids::{AccountId, CommentId, PullId, RepoId, ReviewId, Sha};
use crate::notifications::{self, Notice, Reason, Recipient};
use crate::pulls::{self, threads};

/// A comment about to begin a thread.
#[derive(Debug, Clone)]
pub struct Begin {
    pub repo: RepoId,
    pub pull: PullId,
    /// The version in which the place was looked up.
    pub version: i64,
    pub located: Located,
    /// What was found out before, where anything was.
    pub footing: Option<Footing>,
    pub author: AccountId,
    pub body: String,
    pub mentions: Vec<AccountId>,
}

/// A comment about to answer another.
#[derive(Debug, Clone)]
pub struct Reply {
    pub repo: RepoId,
    pub pull: PullId,
    pub in_reply_to: CommentId,
    pub footing: Option<Footing>,
    pub author: AccountId,
    pub body: String,
    pub mentions: Vec<AccountId>,
}

/// Begins a thread with a review of its own.
pub async fn begin(tx: &mut Transaction, new: &Begin, now: Timestamp) -> Result<Comment> {
    let ground = ground::get(tx, new.footing.as_ref(), new.pull, new.author).await?;
    let located = &new.located;
    let review = new_review(tx, (new.repo, new.pull), new.author, located.thread.anchor.head, now).await?;
    let thread = insert_thread(tx, new.repo, (new.pull, new.version), located).await?;
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
    // Nobody else has said anything yet.
    let id = insert_seen(tx, &comment, (ground.told, &[]), &new.mentions, now).await?;
    let thread = located.thread.stored(thread, new.pull, new.version);
    let place = located.place_in(&ground.version);
    Ok(comment.stored(id, &ground, (thread, place), now))
}

/// Answers a comment that begins a thread of this very pull request.
pub async fn reply(tx: &mut Transaction, new: &Reply, now: Timestamp) -> Result<Comment> {
    let root = store::find(tx, new.repo, new.in_reply_to, Some(new.author)).await?;
    let root = root.filter(|root| root.pull_id == new.pull).ok_or(Error::NotFound)?;
    if root.in_reply_to_id.is_some() {
        return Err(rules::reply_to_reply());
    }
    let ground = ground::get(tx, new.footing.as_ref(), new.pull, new.author).await?;
    let review = new_review(tx, (new.repo, new.pull), new.author, root.thread.head_sha, now).await?;
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
    let others = participants(tx, comment.thread).await?;
    let id = insert_seen(tx, &comment, (ground.told, &others), &new.mentions, now).await?;
    Ok(comment.stored(id, &ground, (root.thread, root.place), now))
}

/// Changes the text of a comment that the editor sees and may change.
pub async fn update(tx: &mut Transaction, edit: &Edit, now: Timestamp) -> Result<Comment> {
    let comment = store::find(tx, edit.repo, edit.id, edit.editor.actor()).await?.ok_or(Error::NotFound)?;
    pulls::rules::check_editor(&edit.editor, edit.role, comment.author.id())?;
    store::update_body(tx, edit.id, &edit.body, now).await?;
    Ok(Comment { body: edit.body.clone(), updated_at: now, ..comment })
}

/// Removes a comment; answers to it stay, a thread or a review that it leaves empty does not.
pub async fn delete(tx: &mut Transaction, repo: RepoId, id: CommentId, viewer: Option<AccountId>) -> Result<()> {
    let comment = store::find(tx, repo, id, viewer).await?.ok_or(Error::NotFound)?;
    store::delete(tx, id).await?;
    if !comment.pending {
        pulls::store::remove_review_comment(tx, comment.pull_id).await?;
    }
    threads::store::delete_if_empty(tx, comment.thread.id).await?;
    reviews::delete_if_empty(tx, comment.review_id).await?;
    Ok(())
}

/// Stores a thread together with its place in the version it was looked up in, unless that is the one it was written in.
pub async fn insert_thread(
    tx: &mut Transaction,
    repo: RepoId,
    (pull, version): (PullId, i64),
    located: &Located,
) -> Result<i64> {
    let thread = threads::store::insert(tx, repo, (pull, version), &located.thread).await?;
    if !located.is_where_written() {
        threads::store::insert_place(tx, thread, &located.range, &located.place).await?;
    }
    Ok(thread)
}

/// Those whom a comment concerns: the author of the pull request, who takes part in its thread, and who is mentioned.
pub fn recipients(
    comment: CommentId,
    pull_author: Option<AccountId>,
    participants: &[AccountId],
    mentions: &[AccountId],
) -> impl Iterator<Item = Recipient> {
    let authors = pull_author.into_iter().map(|user| (user, Reason::Author));
    let participants = participants.iter().map(|user| (*user, Reason::Comment));
    let mentions = mentions.iter().map(|user| (*user, Reason::Mention));
    authors.chain(participants).chain(mentions).map(move |(user, reason)| Recipient { user, reason, comment })
}

/// Everyone who has said something in a thread that others can see.
pub async fn participants(tx: &mut Transaction, thread: i64) -> Result<Vec<AccountId>> {
    let found = store::list_participants(tx, thread).await?;
    Ok(found.into_iter().map(|(participant,)| participant).collect())
}

async fn insert_seen(
    tx: &mut Transaction,
    new: &NewComment,
    (told, participants): (Option<AccountId>, &[AccountId]),
    mentions: &[AccountId],
    now: Timestamp,
) -> Result<CommentId> {
    let comment = store::insert(tx, new, now).await?;
    pulls::store::add_review_comments(tx, new.pull, 1, now).await?;
    let recipients = recipients(comment, told, participants, mentions).collect();
    let notice = Notice { repo: new.repo, pull: new.pull, actor: new.author, reader: told, recipients };
    notifications::notify(tx, &notice, now).await?;
    Ok(comment)
}

/// Every comment that is sent by itself has a review of its own, unless its author has one that is still open.
async fn new_review(
    tx: &mut Transaction,
    (repo, pull): (RepoId, PullId),
    author: AccountId,
    commit: Sha,
    now: Timestamp,
) -> Result<ReviewId> {
    if reviews::has_pending(tx, pull, author).await? {
        return Err(rules::has_pending());
    }
    let new = reviews::NewReview { repo, pull, author, state: ReviewState::Commented, body: "", commit };
    Ok(reviews::insert(tx, &new, now).await?)
}
