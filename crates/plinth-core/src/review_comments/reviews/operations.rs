//! Creating, submitting and deleting reviews, each in one transaction.

use std::collections::HashMap;
use std::sync::Arc;

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, CommentId, PullId, RepoId, ReviewId, Sha};
use plinth_store::Transaction;

use super::model::{Review, ReviewState};
use super::{NewReview, Submission, events, rules, store};
use crate::Core;
use crate::access::WriteAccess;
use crate::notifications::{self, Notice, NoticeSubject, NotifiedComment, recipients};
use crate::pulls::diff_context::with_diff_context;
use crate::pulls::model::{Pull, PullFacts};
use crate::pulls::{self, threads};
use crate::repos::RepoTarget;
use crate::review_comments::events::{CommentAction, record_comment};
use crate::review_comments::model::NewComment;
use crate::review_comments::positions::{Located, find_position, insert_thread};
use crate::review_comments::{DraftComment, InvalidPosition, Subject, rules as comment_rules, store as comments};
use crate::review_requests;

/// Creates a review with its comments; without an event it stays pending.
pub async fn create(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    pull: Arc<PullFacts>,
    new: NewReview,
) -> Result<Review> {
    let author = access.author()?;
    rules::check_comment_count(new.comments.len())?;
    rules::check_submission(pull.author, author, new.state, &new.body, new.comments.len())?;
    if !new.body.is_empty() {
        comment_rules::check_body(&new.body)?;
    }
    let contents = new.comments.iter().map(|comment| comment.body.as_str());
    let contents: Vec<&str> = contents.chain((!new.body.is_empty()).then_some(new.body.as_str())).collect();
    core.limiter.admit_contents(author, access.operation(), &contents, core.clock.now()).await?;
    let _removal_lock = core.objects.prevent_removal(pull.repo_id).await?;
    let commit_id = new.commit_id.unwrap_or_else(|| pull.version.head_sha.to_string());
    let commit = commit_id.parse().map_err(|_| Error::Invalid(InvalidPosition::Commit.errors()))?;
    check_commit(core, &pull, commit).await?;
    let comments = find_positions(core, &pull, &commit_id, new.comments).await?;
    let new = ReviewToInsert { pull, author, state: new.state, body: new.body, commit, comments };
    access.write((new, core.clock.now()), |tx, (new, now)| Box::pin(insert(tx, new, *now))).await
}

/// Adds a comment to a pending review of the caller.
pub async fn add_comment(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    (pull, review): (Arc<PullFacts>, &Review),
    draft: DraftComment,
) -> Result<CommentId> {
    let author = access.author()?;
    rules::check_pending(review, "comment on")?;
    core.limiter.admit_contents(author, access.operation(), &[draft.body.as_str()], core.clock.now()).await?;
    let _removal_lock = core.objects.prevent_removal(pull.repo_id).await?;
    let mut located = find_positions(core, &pull, &review.commit_sha.to_string(), vec![draft]).await?;
    let draft = located.pop().ok_or_else(|| Error::internal("a draft has no position"))?;
    let context = (pull, (review.id, author), draft, core.clock.now());
    access
        .write(context, |tx, (pull, (review, author), draft, now)| {
            Box::pin(insert_into_pending(tx, pull, (*review, *author), draft, *now))
        })
        .await
}

/// Publishes a pending review of the caller.
pub async fn submit(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    review: &Review,
    submission: Submission,
) -> Result<Review> {
    if let Some(body) = submission.body.as_ref().filter(|body| !body.is_empty()) {
        comment_rules::check_body(body)?;
    }
    let mentions = find_mentions(core, review.id).await?;
    let context = (review.pull_id, (review.id, mentions), access.author()?, submission, core.clock.now());
    access
        .write(context, |tx, (pull, (id, mentions), author, submission, now)| {
            let text = submission.body.as_deref();
            Box::pin(submit_pending(tx, *pull, (*id, mentions), *author, (submission.state, text), *now))
        })
        .await
}

/// Deletes a pending review of the caller.
pub async fn delete(access: &WriteAccess<RepoTarget>, review: &Review) -> Result<Review> {
    let context = (review.pull_id, review.id, access.author()?);
    access.write(context, |tx, (pull, id, author)| Box::pin(delete_pending(tx, *pull, *id, *author))).await
}

/// The commit of a review must belong to the pull request, even if the review has no comments.
async fn check_commit(core: &Core, pull: &PullFacts, commit: Sha) -> Result<()> {
    let version = pull.version;
    let is_part = with_diff_context(core, pull.repo_id, move |diff| diff.contains(&version, &commit)).await?;
    if is_part { Ok(()) } else { Err(Error::Invalid(InvalidPosition::Commit.errors())) }
}

/// The mentions in the comments of a pending review. Only the caller can change these comments meanwhile.
async fn find_mentions(core: &Core, review: ReviewId) -> Result<Mentions> {
    let comments = store::list_bodies(&mut core.read().await?, review).await?;
    let (ids, bodies): (Vec<_>, Vec<_>) = comments.into_iter().unzip();
    Ok(ids.into_iter().zip(notifications::find_mentions(core, bodies).await?).collect())
}

async fn find_positions(
    core: &Core,
    pull: &PullFacts,
    commit_id: &str,
    drafts: Vec<DraftComment>,
) -> Result<Vec<LocatedDraft>> {
    let bodies = drafts.iter().map(|draft| draft.body.clone()).collect();
    let mut mentions = notifications::find_mentions(core, bodies).await?.into_iter();
    let mut found = Vec::with_capacity(drafts.len());
    for DraftComment { body, path, at } in drafts {
        let subject = Subject { commit_id: commit_id.to_owned(), path, at };
        let located = find_position(core, pull, subject, comment_rules::body_errors(&body)).await?;
        found.push(LocatedDraft { body, located, mentions: mentions.next().unwrap_or_default() });
    }
    Ok(found)
}

/// A review with its comments, ready to be inserted.
#[derive(Debug, Clone)]
pub struct ReviewToInsert {
    pub pull: Arc<PullFacts>,
    pub author: AccountId,
    pub state: ReviewState,
    pub body: String,
    pub commit: Sha,
    pub comments: Vec<LocatedDraft>,
}

/// A comment of a review, ready to be inserted.
#[derive(Debug, Clone)]
pub struct LocatedDraft {
    pub body: String,
    pub located: Located,
    pub mentions: Vec<AccountId>,
}

/// The mentions in the comments of a review, from before the transaction.
pub type Mentions = HashMap<CommentId, Vec<AccountId>>;

async fn insert(tx: &mut Transaction, new: &ReviewToInsert, now: Timestamp) -> Result<Review> {
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
        let place = (pull.repo_id, pull.id, new.pull.version.number);
        let id = insert_draft(tx, place, (review, new.author), draft, now).await?;
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

async fn insert_into_pending(
    tx: &mut Transaction,
    pull: &PullFacts,
    (id, author): (ReviewId, AccountId),
    draft: &LocatedDraft,
    now: Timestamp,
) -> Result<CommentId> {
    let review = get(tx, pull.id, id, author).await?;
    rules::check_pending(&review, "comment on")?;
    rules::check_comment_count(store::list_comments(tx, id).await?.len() + 1)?;
    insert_draft(tx, (pull.repo_id, pull.id, pull.version.number), (id, author), draft, now).await
}

/// Inserts a comment that only its author sees until the review is submitted.
async fn insert_draft(
    tx: &mut Transaction,
    (repo, pull, version): (RepoId, PullId, i64),
    (review, author): (ReviewId, AccountId),
    draft: &LocatedDraft,
    now: Timestamp,
) -> Result<CommentId> {
    let thread = insert_thread(tx, repo, (pull, version), &draft.located).await?;
    let body = draft.body.clone();
    let comment = NewComment { repo, pull, review, thread, in_reply_to: None, author, pending: true, body };
    Ok(comments::insert(tx, &comment, now).await?)
}

async fn submit_pending(
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
    rules::check_submission(pull.author.id(), author, state, &body, comment_count)?;
    publish(tx, &pull, (id, mentions), author, (state, &body), now).await?;
    get(tx, pull.id, id, author).await
}

async fn delete_pending(tx: &mut Transaction, pull: PullId, id: ReviewId, author: AccountId) -> Result<Review> {
    let review = get(tx, pull, id, author).await?;
    rules::check_pending(&review, "delete")?;
    let comments = store::list_comments(tx, id).await?;
    store::delete(tx, id).await?;
    for (_, thread) in comments {
        threads::store::delete_if_empty(tx, thread).await?;
    }
    Ok(review)
}

/// Makes a review and its comments visible to everyone, and notifies.
async fn publish(
    tx: &mut Transaction,
    pull: &Pull,
    (id, mentions): (ReviewId, &Mentions),
    author: AccountId,
    (state, body): (ReviewState, &str),
    now: Timestamp,
) -> Result<()> {
    store::submit(tx, id, state, body, now).await?;
    review_requests::fulfill(tx, pull.id, author).await?;
    let published = store::publish_comments(tx, id).await?;
    pulls::store::add_review_comments(tx, pull.id, i64::try_from(published).unwrap_or_default(), now).await?;
    // Nobody else has seen its threads yet, so they have no other participants.
    let comments = store::list_comments(tx, id).await?;
    let recipients = comments.iter().flat_map(|(comment, _)| {
        let mentions = mentions.get(comment).map(Vec::as_slice).unwrap_or_default();
        recipients(NotifiedComment::Review(*comment), pull.author.id(), &[], mentions)
    });
    let recipients = recipients.collect();
    let subject = NoticeSubject::Pull(pull.id);
    let notice = Notice { repo: pull.repo_id, subject, actor: author, reader: None, recipients };
    notifications::notify(tx, &notice, now).await?;
    record(tx, pull, (id, author), &comments, now).await
}

/// Records the review and its comments, which nobody has heard of before.
async fn record(
    tx: &mut Transaction,
    pull: &Pull,
    (id, author): (ReviewId, AccountId),
    published: &[(CommentId, i64)],
    now: Timestamp,
) -> Result<()> {
    if !crate::events::is_wanted(tx).await? {
        return Ok(());
    }
    let review = get(tx, pull.id, id, author).await?;
    events::record_submitted(tx, pull.repo_id, || review, Some(author), now).await?;
    for (comment, _) in published {
        let comment = comments::find(tx, pull.repo_id, *comment, Some(author)).await?.ok_or(Error::NotFound)?;
        record_comment(tx, pull.repo_id, (CommentAction::Created, &comment), Some(author), now).await?;
    }
    Ok(())
}

async fn get(tx: &mut Transaction, pull: PullId, id: ReviewId, viewer: AccountId) -> Result<Review> {
    store::find(tx, pull, id, Some(viewer)).await?.ok_or(Error::NotFound)
}
