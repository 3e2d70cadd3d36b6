//! Creating, changing and deleting review comments. Each operation is one transaction, which also updates the review,
//! the thread, the comment count and the notifications.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, CommentId, PullId, RepoId, ReviewId, Sha};
use plinth_store::Transaction;

use super::comment_context::{self, CachedCommentContext};
use super::events::{self, CommentAction};
use super::model::{Comment, Edit, PublishedComment, StartedThread, WrittenComment};
use super::positions::{Located, find_position};
use super::reviews::events::record_submitted;
use super::reviews::model::{Review, ReviewState};
use super::reviews::store as reviews;
use super::sent_rows::{SentReview, SentStart};
use super::{NewComment, Subject, edit_statement, rules, store};
use crate::Core;
use crate::access::WriteAccess;
use crate::notifications::{self, Notice, NoticeSubject, NotifiedComment, find_mentions_in, recipients};
use crate::pulls::model::PullFacts;
use crate::pulls::{self, threads};
use crate::repos::RepoTarget;

/// Creates a comment: one that starts a thread, or a reply.
pub async fn create(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    pull: &PullFacts,
    new: NewComment,
) -> Result<WrittenComment> {
    match new {
        NewComment::Reply { body, in_reply_to } => create_reply(core, access, pull, in_reply_to, body).await,
        NewComment::Start { body, subject } => create_thread(core, access, pull, subject, body).await,
    }
}

async fn create_thread(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    pull: &PullFacts,
    subject: Subject,
    body: String,
) -> Result<WrittenComment> {
    let author = access.author()?;
    // The commits of the anchor must not be collected before the thread is stored and makes them roots.
    let _removal_lock = core.objects.prevent_removal(pull.repo_id).await?;
    let located = find_position(core, pull, subject, rules::body_errors(&body)).await?;
    core.limiter.admit_content(author, access.operation(), &body, core.clock.now()).await?;
    let mentions = find_mentions_in(core, &body).await?;
    let context = CachedCommentContext::load(core, access.generations(), pull.repo_id, (pull.id, author)).await?;
    let (repo, version) = (pull.repo_id, pull.version.number);
    let new = NewThreadComment { repo, pull: pull.id, version, located, context, author, body, mentions };
    let context = (new, core.clock.now());
    let work = access.write(context, |tx, (new, now)| {
        Box::pin(async { Ok((start_thread(tx, new, *now).await?, tx.generations())) })
    });
    Ok(work.await?.into())
}

/// Replies to the first comment of a thread.
pub async fn create_reply(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    pull: &PullFacts,
    in_reply_to: CommentId,
    body: String,
) -> Result<WrittenComment> {
    let author = access.author()?;
    rules::check_body(&body)?;
    core.limiter.admit_content(author, access.operation(), &body, core.clock.now()).await?;
    let mentions = find_mentions_in(core, &body).await?;
    let context = CachedCommentContext::load(core, access.generations(), pull.repo_id, (pull.id, author)).await?;
    let new = NewReply { repo: pull.repo_id, pull: pull.id, in_reply_to, context, author, body, mentions };
    let context = (new, core.clock.now());
    let work =
        access.write(context, |tx, (new, now)| Box::pin(async { Ok((reply(tx, new, *now).await?, tx.generations())) }));
    Ok(work.await?.into())
}

/// Changes the body of a comment. A missing comment or right is reported before errors in the body.
pub async fn update(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    id: CommentId,
    body: Result<String>,
) -> Result<WrittenComment> {
    let checked = body.and_then(|body| rules::check_body(&body).map(|()| body));
    let body = match checked {
        Ok(body) => body,
        Err(wrong) => {
            let comment = find(core, access, id).await?;
            pulls::rules::check_editor(access.caller(), access.role, comment.author.id())?;
            return Err(wrong);
        }
    };
    let edit = Edit { repo: access.repo.id, id, editor: access.principal(), role: access.role, body };
    let context = (edit, core.clock.now());
    let work = access
        .write(context, |tx, (edit, now)| Box::pin(async { Ok((change(tx, edit, *now).await?, tx.generations())) }));
    Ok(work.await?.into())
}

pub async fn delete(core: &Core, access: &WriteAccess<RepoTarget>, id: CommentId) -> Result<()> {
    let comment = find(core, access, id).await?;
    pulls::rules::check_editor(access.caller(), access.role, comment.author.id())?;
    let context = (access.repo.id, comment.id, access.caller().actor(), core.clock.now());
    access.write(context, |tx, (repo, id, viewer, now)| Box::pin(remove(tx, *repo, *id, *viewer, *now))).await
}

async fn find(core: &Core, access: &WriteAccess<RepoTarget>, id: CommentId) -> Result<Comment> {
    let mut db = core.read().await?;
    store::find(&mut db, access.repo.id, id, access.caller().actor()).await?.ok_or(Error::NotFound)
}

/// A comment that starts a thread, ready to be inserted.
#[derive(Debug, Clone)]
pub struct NewThreadComment {
    pub repo: RepoId,
    pub pull: PullId,
    /// The version in which the comment was located.
    pub version: i64,
    pub located: Located,
    /// The comment context from before the transaction, if there is one.
    pub context: Option<CachedCommentContext>,
    pub author: AccountId,
    pub body: String,
    pub mentions: Vec<AccountId>,
}

/// A reply, ready to be inserted.
#[derive(Debug, Clone)]
pub struct NewReply {
    pub repo: RepoId,
    pub pull: PullId,
    pub in_reply_to: CommentId,
    pub context: Option<CachedCommentContext>,
    pub author: AccountId,
    pub body: String,
    pub mentions: Vec<AccountId>,
}

/// Starts a thread, in a review of its own.
pub async fn start_thread(tx: &mut Transaction, new: &NewThreadComment, now: Timestamp) -> Result<Comment> {
    let located = &new.located;
    let commit = located.thread.anchor.head;
    let (repo, pull, author) = (new.repo, new.pull, new.author);
    let comment = PublishedComment { repo, pull, in_reply_to: None, author, body: &new.body };
    let started = SentStart::send(tx, &comment, (new.version, located), now).await?;
    let started = started.rows(tx, new.context.as_ref(), (pull, author)).await?;
    let StartedThread { review, thread, comment: id, context, .. } = started;
    pulls::store::add_review_comments(tx, pull, 1, now).await?;
    // A new thread has no other participants.
    notify(tx, &comment, id, (context.notified, &[], &new.mentions), now).await?;
    let stored = located.thread.stored(thread, pull, new.version);
    let position = located.position_in(&context.version);
    let comment = comment.with_parents(review, thread).stored(id, &context, (stored, position), now);
    record_created(tx, repo, &comment, (review, commit), now).await?;
    Ok(comment)
}

/// Replies to the first comment of a thread of this pull request.
pub async fn reply(tx: &mut Transaction, new: &NewReply, now: Timestamp) -> Result<Comment> {
    let root = store::find(tx, new.repo, new.in_reply_to, Some(new.author)).await?;
    let root = root.filter(|root| root.pull_id == new.pull).ok_or(Error::NotFound)?;
    if root.in_reply_to_id.is_some() {
        return Err(rules::reply_to_reply());
    }
    let (repo, pull, author) = (new.repo, new.pull, new.author);
    let (commit, thread) = (root.thread.head_sha, root.thread.id);
    let comment = PublishedComment { repo, pull, in_reply_to: Some(root.id), author, body: &new.body };
    let participants = store::send_participants(tx, thread).await?;
    let review = SentReview::send(tx, &comment, commit, now).await?;
    let id = store::send_insert(tx, &comment, (review.known(), thread), now).await?;
    let context = comment_context::resolve(tx, new.context.as_ref(), pull, author).await?;
    let (review, (id,)) = (review.id(tx).await?, tx.row(id).await?);
    let others: Vec<AccountId> = tx.rows(participants).await?.into_iter().map(|(user,)| user).collect();
    pulls::store::add_review_comments(tx, pull, 1, now).await?;
    notify(tx, &comment, id, (context.notified, &others, &new.mentions), now).await?;
    let comment = comment.with_parents(review, thread).stored(id, &context, (root.thread, root.position), now);
    record_created(tx, repo, &comment, (review, commit), now).await?;
    Ok(comment)
}

/// Changes the body of a comment that the editor can see and may change.
async fn change(tx: &mut Transaction, edit: &Edit, now: Timestamp) -> Result<Comment> {
    let mut comment = change_body(tx, edit, now).await?;
    let former = std::mem::replace(&mut comment.body, edit.body.clone());
    comment.updated_at = now;
    if former != comment.body {
        let edited = (CommentAction::Edited(former), &comment);
        events::record_comment(tx, edit.repo, edited, edit.editor.actor(), now).await?;
    }
    Ok(comment)
}

/// Returns the comment as it was.
async fn change_body(tx: &mut Transaction, edit: &Edit, now: Timestamp) -> Result<Comment> {
    if tx.is_in_batch() {
        let sent = edit_statement::send(tx, edit, now).await?;
        if let Some(former) = tx.rows(sent).await?.pop() {
            return Ok(former);
        }
        find_editable(tx, edit).await?;
        return Err(Error::internal("a comment that may be changed was not"));
    }
    let former = find_editable(tx, edit).await?;
    store::update_body(tx, edit.id, &edit.body, now).await?;
    Ok(former)
}

/// The comment, or the error that the editor gets.
async fn find_editable(tx: &mut Transaction, edit: &Edit) -> Result<Comment> {
    let comment = store::find(tx, edit.repo, edit.id, edit.editor.actor()).await?.ok_or(Error::NotFound)?;
    pulls::rules::check_editor(&edit.editor, edit.role, comment.author.id())?;
    Ok(comment)
}

/// Deletes a comment, and its thread and its review if they are empty then. Replies stay.
async fn remove(
    tx: &mut Transaction,
    repo: RepoId,
    id: CommentId,
    viewer: Option<AccountId>,
    now: Timestamp,
) -> Result<()> {
    let comment = store::find(tx, repo, id, viewer).await?.ok_or(Error::NotFound)?;
    store::delete(tx, id).await?;
    if !comment.pending {
        pulls::store::remove_review_comment(tx, comment.pull_id).await?;
    }
    threads::store::delete_if_empty(tx, comment.thread.id).await?;
    reviews::delete_if_empty(tx, comment.review_id).await?;
    events::record_comment(tx, repo, (CommentAction::Deleted, &comment), viewer, now).await
}

/// Records a comment outside a review, and the review that it got.
async fn record_created(
    tx: &mut Transaction,
    repo: RepoId,
    comment: &Comment,
    (id, commit_sha): (ReviewId, Sha),
    now: Timestamp,
) -> Result<()> {
    let review = || Review {
        id,
        pull_id: comment.pull_id,
        pull_number: comment.pull_number,
        state: ReviewState::Commented,
        body: String::new(),
        commit_sha,
        submitted_at: Some(now),
        author: comment.author.clone(),
    };
    let actor = comment.author.id();
    record_submitted(tx, repo, review, actor, now).await?;
    events::record_comment(tx, repo, (CommentAction::Created, comment), actor, now).await
}

/// Notifies of a comment that was inserted: the author of the pull request, participants and those mentioned.
async fn notify(
    tx: &mut Transaction,
    new: &PublishedComment<'_>,
    id: CommentId,
    (notified, participants, mentions): (Option<AccountId>, &[AccountId], &[AccountId]),
    now: Timestamp,
) -> Result<()> {
    let recipients = recipients(NotifiedComment::Review(id), notified, participants, mentions).collect();
    let subject = NoticeSubject::Pull(new.pull);
    let notice = Notice { repo: new.repo, subject, actor: new.author, reader: notified, recipients };
    notifications::notify(tx, &notice, now).await
}
