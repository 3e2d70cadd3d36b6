//! Payloads about reviews and their comments.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::PullId;
use plinth_core::pulls::store;
use plinth_core::pulls::threads::{self, Position};
use plinth_core::review_comments::events::CommentData;
use plinth_core::review_comments::model::{Comment, Listing, Order, Scope};
use plinth_core::review_comments::resolutions::ResolutionData;
use plinth_core::review_comments::reviews::events::ReviewData;
use plinth_core::review_comments::store::list as list_comments;
use serde::Serialize;
use serde_json::Value;

use super::common::TextChanges;
use super::pulls::ready;
use super::{Context, to_value};
use crate::negotiation::Media;
use crate::pulls::json::{self, PullRequest};
use crate::review_comments::json::{Ready, ReviewComment};
use crate::review_comments::resolutions::json::node_id;
use crate::review_comments::reviews::json::PullRequestReview;

#[derive(Serialize)]
struct Review<'a> {
    review: Value,
    pull_request: PullRequest<'a>,
}

pub async fn render(context: &Context<'_>) -> Result<Option<String>> {
    let ReviewData { review } = context.data()?;
    let Some(pull) = find_pull(context, review.pull_id).await? else { return Ok(None) };
    let Some(repo) = &context.parties.repo else { return Ok(None) };
    let shown = PullRequestReview::new(&review, None, Media::Json, repo, context.urls);
    let mut shown = to_value(&shown);
    // Events have other words for states than responses, and null instead of an empty text.
    shown["state"] = review.state.as_str().to_ascii_lowercase().into();
    if review.body.is_empty() {
        shown["body"] = Value::Null;
    }
    context.write(Review { review: shown, pull_request: PullRequest::new(&pull, Media::Json, repo, context.urls) })
}

#[derive(Serialize)]
struct CommentPayload<'a> {
    comment: ReviewComment<'a>,
    pull_request: PullRequest<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<TextChanges<'a>>,
}

pub async fn render_comment(context: &Context<'_>) -> Result<Option<String>> {
    let CommentData { comment, former_body } = context.data()?;
    let Some(pull) = find_pull(context, comment.pull_id).await? else { return Ok(None) };
    let Some(repo) = &context.parties.repo else { return Ok(None) };
    let position = find_position(context, &comment).await?;
    let ready = Ready { comment, position, rendered: None };
    context.write(CommentPayload {
        comment: ReviewComment::new(&ready, Media::Json, repo, context.urls),
        pull_request: PullRequest::new(&pull, Media::Json, repo, context.urls),
        changes: former_body.as_deref().map(|from| TextChanges::new(None, Some(from))),
    })
}

/// Comments of a thread that its payload has.
const THREAD_COMMENTS_MAX: i64 = 100;

#[derive(Serialize)]
struct ThreadPayload<'a> {
    thread: Thread<'a>,
    pull_request: PullRequest<'a>,
    updated_at: Timestamp,
}

#[derive(Serialize)]
struct Thread<'a> {
    node_id: String,
    comments: Vec<ReviewComment<'a>>,
}

pub async fn render_thread(context: &Context<'_>) -> Result<Option<String>> {
    let ResolutionData { thread, pull } = context.data()?;
    let Some(pull) = find_pull(context, pull).await? else { return Ok(None) };
    let Some(repo) = &context.parties.repo else { return Ok(None) };
    let comments = find_comments(context, thread).await?;
    let shown = comments.iter().map(|ready| ReviewComment::new(ready, Media::Json, repo, context.urls));
    context.write(ThreadPayload {
        thread: Thread { node_id: node_id(repo.id, thread), comments: shown.collect() },
        pull_request: PullRequest::new(&pull, Media::Json, repo, context.urls),
        updated_at: context.event.created_at,
    })
}

/// The published comments of a thread, as they are now. They share one position.
async fn find_comments(context: &Context<'_>, thread: i64) -> Result<Vec<Ready>> {
    let listing = Listing { scope: Scope::Thread(thread), order: Order::Up, since: None, viewer: None };
    let comments = list_comments(&mut context.app.read().await?, &listing, (THREAD_COMMENTS_MAX, 0)).await?;
    let Some(first) = comments.first() else { return Ok(Vec::new()) };
    let position = find_position(context, first).await?;
    let ready = |comment| Ready { comment, position: position.clone(), rendered: None };
    Ok(comments.into_iter().map(ready).collect())
}

/// The position in the version that the comment was seen in, computed if it was not known then.
async fn find_position(context: &Context<'_>, comment: &Comment) -> Result<Position> {
    if let Some(known) = &comment.position {
        return Ok(known.clone());
    }
    let repo = context.event.repo.ok_or_else(|| Error::internal("a comment is in a repository"))?;
    let thread = comment.thread.clone();
    let found = threads::find_positions(context.app, repo, comment.pull_id, &comment.version, vec![thread]).await;
    match found {
        Ok(mut positions) => positions.pop().ok_or_else(|| Error::internal("a thread has no position")),
        // Commits that were force-pushed away and collected: outdated.
        Err(Error::NotFound | Error::OverBudget(_)) => Ok(Position { commit: comment.thread.head_sha, location: None }),
        Err(error) => Err(error),
    }
}

/// The pull request of a review, as it is now.
async fn find_pull(context: &Context<'_>, id: PullId) -> Result<Option<json::Ready>> {
    let found = store::find_by_id(&mut context.app.read().await?, id).await?;
    match found {
        Some(pull) => ready(context, pull).await.map(Some),
        None => Ok(None),
    }
}
