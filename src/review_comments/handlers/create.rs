//! Comments that are new.

use crate::api::access::table::{CreateReplyForReviewComment, CreateReviewComment};
use crate::api::access::{Allowed, Endpoint, RepoTarget};
use crate::api::body::Json;
use crate::api::reply::Reply;
use crate::app::App;
use crate::error::{Error, FieldError, Result};
use crate::ids::{AccountId, CommentId};
use crate::pulls::FoundPull;
use crate::pulls::model::PullFacts;
use crate::pulls::range::look_at_desk;
use crate::review_comments::Footing;
use crate::review_comments::found::FoundComment;
use crate::review_comments::input::{NewComment, Subject, Text};
use crate::review_comments::json::ReviewComment;
use crate::review_comments::locate::{Located, locate};
use crate::review_comments::model::Comment;
use crate::review_comments::{mentions, present, rules, write};

pub async fn create(
    access: Allowed<CreateReviewComment, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    Json(new): Json<NewComment>,
) -> Result<Reply> {
    let author = author(&access)?;
    match new {
        NewComment::Reply { body, in_reply_to } => answer(&app, &access, &pull, in_reply_to, body, author).await,
        NewComment::Begin { body, subject } => begin(&app, &access, &pull, subject, body, author).await,
    }
}

pub async fn reply(
    access: Allowed<CreateReplyForReviewComment, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    FoundComment(in_reply_to): FoundComment,
    Json(text): Json<Text>,
) -> Result<Reply> {
    answer(&app, &access, &pull, in_reply_to, text.body, author(&access)?).await
}

async fn begin<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    pull: &PullFacts,
    subject: Subject,
    body: String,
    author: AccountId,
) -> Result<Reply> {
    // What is looked up must still be there when it is named.
    let _held = app.objects.hold(pull.repo_id).await;
    let located = find_place(app, pull, subject, rules::body_errors(&body)).await?;
    app.limiter.admit_content(author, E::ROW.operation, &body, app.clock.now())?;
    let mentions = mentions::find_in(app, &body).await?;
    let footing = Footing::find(app, access.exchange(), pull.id, author).await?;
    let (repo, version) = (pull.repo_id, pull.version.number);
    let new = write::Begin { repo, pull: pull.id, version, located, footing, author, body, mentions };
    let now = app.clock.now();
    let comment = access.write(&app.store, (new, now), |tx, (new, now)| Box::pin(write::begin(tx, new, *now))).await?;
    created(app, access, comment).await
}

async fn answer<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    pull: &PullFacts,
    in_reply_to: CommentId,
    body: String,
    author: AccountId,
) -> Result<Reply> {
    rules::check_body(&body)?;
    app.limiter.admit_content(author, E::ROW.operation, &body, app.clock.now())?;
    let mentions = mentions::find_in(app, &body).await?;
    let footing = Footing::find(app, access.exchange(), pull.id, author).await?;
    let new = write::Reply { repo: pull.repo_id, pull: pull.id, in_reply_to, footing, author, body, mentions };
    let now = app.clock.now();
    let comment = access.write(&app.store, (new, now), |tx, (new, now)| Box::pin(write::reply(tx, new, *now))).await?;
    created(app, access, comment).await
}

/// Looks a place up, and tells all that is wrong with a comment at once.
pub async fn find_place(app: &App, pull: &PullFacts, subject: Subject, mut errors: Vec<FieldError>) -> Result<Located> {
    let (repo, version) = (pull.repo_id, pull.version);
    let found = look_at_desk(app, repo, move |desk| locate(&desk, &version, &subject)).await?;
    match found {
        Ok(located) if errors.is_empty() => Ok(located),
        Ok(_) => Err(Error::Invalid(errors)),
        Err(misplaced) => {
            errors.extend(misplaced.errors());
            Err(Error::Invalid(errors))
        }
    }
}

pub fn author<E: Endpoint>(access: &Allowed<E, RepoTarget>) -> Result<AccountId> {
    access.caller().actor().ok_or(Error::Unauthenticated("Requires authentication"))
}

async fn created<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, comment: Comment) -> Result<Reply> {
    let exchange = access.exchange();
    let location = access.urls().review_comment(&access.repo.owner_login, &access.repo.name, comment.id);
    let ready = present::ready(app, exchange, &access.repo, vec![comment]).await?;
    let [ready] = ready.as_slice() else { return Err(Error::internal("one comment was made ready")) };
    Ok(Reply::created(&ReviewComment::new(ready, exchange.media, &access.repo, access.urls()), location))
}
