//! Comments written and removed, each in one transaction with all that follows from it.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, FieldError, Result};
use plinth_base::ids::{AccountId, CommentId, PullId, RepoId, ReviewId, Sha};
use plinth_store::Transaction;

use super::comment_context::{self, CachedCommentContext};
use super::locate::{Located, locate};
use super::model::{self, Comment, Edit};
use super::reviews::model::ReviewState;
use super::reviews::store as reviews;
use super::{NewComment, Subject, mentions, rules, store};
use crate::Core;
use crate::access::{RepoTarget, WriteAccess};
use crate::notifications::{self, Notice, Reason, Recipient};
use crate::pulls::model::PullFacts;
use crate::pulls::range::with_diff_context_fast;
use crate::pulls::{self, threads};

/// Creates a comment: one that begins a thread, or a reply.
pub async fn create(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    pull: &PullFacts,
    new: NewComment,
) -> Result<Comment> {
    match new {
        NewComment::Reply { body, in_reply_to } => create_reply(core, access, pull, in_reply_to, body).await,
        NewComment::Begin { body, subject } => create_thread(core, access, pull, subject, body).await,
    }
}

async fn create_thread(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    pull: &PullFacts,
    subject: Subject,
    body: String,
) -> Result<Comment> {
    let author = author(access)?;
    // The commits that the position is computed from must not be collected before the thread names them.
    let _hold = core.objects.hold(pull.repo_id).await;
    let located = find_position(core, pull, subject, rules::body_errors(&body)).await?;
    core.limiter.admit_content(author, access.operation(), &body, core.clock.now())?;
    let mentions = mentions::find_in(core, &body).await?;
    let footing = CachedCommentContext::find(core, access.generations(), pull.repo_id, (pull.id, author)).await?;
    let (repo, version) = (pull.repo_id, pull.version.number);
    let new = Begin { repo, pull: pull.id, version, located, footing, author, body, mentions };
    access.write((new, core.clock.now()), |tx, (new, now)| Box::pin(begin(tx, new, *now))).await
}

/// Replies to a comment that begins a thread.
pub async fn create_reply(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    pull: &PullFacts,
    in_reply_to: CommentId,
    body: String,
) -> Result<Comment> {
    let author = author(access)?;
    rules::check_body(&body)?;
    core.limiter.admit_content(author, access.operation(), &body, core.clock.now())?;
    let mentions = mentions::find_in(core, &body).await?;
    let footing = CachedCommentContext::find(core, access.generations(), pull.repo_id, (pull.id, author)).await?;
    let new = Reply { repo: pull.repo_id, pull: pull.id, in_reply_to, footing, author, body, mentions };
    access.write((new, core.clock.now()), |tx, (new, now)| Box::pin(reply(tx, new, *now))).await
}

/// Changes the body of a comment. Whether the comment exists and is the caller's is reported before what is wrong with
/// the new body.
pub async fn update(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    id: CommentId,
    body: Result<String>,
) -> Result<Comment> {
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
    access.write((edit, core.clock.now()), |tx, (edit, now)| Box::pin(change(tx, edit, *now))).await
}

pub async fn delete(core: &Core, access: &WriteAccess<RepoTarget>, id: CommentId) -> Result<()> {
    let comment = find(core, access, id).await?;
    pulls::rules::check_editor(access.caller(), access.role, comment.author.id())?;
    let context = (access.repo.id, comment.id, access.caller().actor());
    access.write(context, |tx, (repo, id, viewer)| Box::pin(remove(tx, *repo, *id, *viewer))).await
}

async fn find(core: &Core, access: &WriteAccess<RepoTarget>, id: CommentId) -> Result<Comment> {
    let mut db = core.read().await?;
    store::find(&mut db, access.repo.id, id, access.caller().actor()).await?.ok_or(Error::NotFound)
}

/// Finds the position of a comment in its diff, and reports everything that is wrong with the comment at once.
pub(super) async fn find_position(
    core: &Core,
    pull: &PullFacts,
    subject: Subject,
    mut errors: Vec<FieldError>,
) -> Result<Located> {
    let (repo, version) = (pull.repo_id, pull.version);
    let found = with_diff_context_fast(core, repo, move |desk| locate(&desk, &version, &subject)).await?;
    match found {
        Ok(located) if errors.is_empty() => Ok(located),
        Ok(_) => Err(Error::Invalid(errors)),
        Err(misplaced) => {
            errors.extend(misplaced.errors());
            Err(Error::Invalid(errors))
        }
    }
}

/// Who writes.
pub(super) fn author(access: &WriteAccess<RepoTarget>) -> Result<AccountId> {
    access.caller().actor().ok_or(Error::Unauthenticated("Requires authentication"))
}

/// A comment about to begin a thread.
#[derive(Debug, Clone)]
pub struct Begin {
    pub repo: RepoId,
    pub pull: PullId,
    /// The version in which the place was looked up.
    pub version: i64,
    pub located: Located,
    /// What was found out before, where anything was.
    pub footing: Option<CachedCommentContext>,
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
    pub footing: Option<CachedCommentContext>,
    pub author: AccountId,
    pub body: String,
    pub mentions: Vec<AccountId>,
}

/// Begins a thread with a review of its own.
pub async fn begin(tx: &mut Transaction, new: &Begin, now: Timestamp) -> Result<Comment> {
    let ground = comment_context::get(tx, new.footing.as_ref(), new.pull, new.author).await?;
    let located = &new.located;
    let review = new_review(tx, (new.repo, new.pull), new.author, located.thread.anchor.head, now).await?;
    let thread = insert_thread(tx, new.repo, (new.pull, new.version), located).await?;
    let comment = model::NewComment {
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
    let ground = comment_context::get(tx, new.footing.as_ref(), new.pull, new.author).await?;
    let review = new_review(tx, (new.repo, new.pull), new.author, root.thread.head_sha, now).await?;
    let comment = model::NewComment {
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
async fn change(tx: &mut Transaction, edit: &Edit, now: Timestamp) -> Result<Comment> {
    let comment = store::find(tx, edit.repo, edit.id, edit.editor.actor()).await?.ok_or(Error::NotFound)?;
    pulls::rules::check_editor(&edit.editor, edit.role, comment.author.id())?;
    store::update_body(tx, edit.id, &edit.body, now).await?;
    Ok(Comment { body: edit.body.clone(), updated_at: now, ..comment })
}

/// Removes a comment; answers to it stay, a thread or a review that it leaves empty does not.
async fn remove(tx: &mut Transaction, repo: RepoId, id: CommentId, viewer: Option<AccountId>) -> Result<()> {
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
        threads::store::insert_position(tx, thread, &located.range, &located.place).await?;
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
    new: &model::NewComment,
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
