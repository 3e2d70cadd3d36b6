//! Comments that are new.

use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{CreateReplyForReviewComment, CreateReviewComment};
use crate::pulls::FoundPull;
use crate::request::Allowed;
use crate::request::body::Json;
use crate::response::api_response::ApiResponse;
use crate::review_comments::extract::FoundComment;
use crate::review_comments::json::ReviewComment;
use crate::review_comments::present;
use plinth_base::error::{Error, Result};
use plinth_core::repos::RepoTarget;
use plinth_core::review_comments::model::Comment;
use plinth_core::review_comments::{NewComment, Text, operations};

pub async fn create(
    access: Allowed<CreateReviewComment, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    Json(new): Json<NewComment>,
) -> Result<ApiResponse> {
    let comment = operations::create(&app, &access.for_writing(), &pull, new).await?;
    created(&app, &access, comment).await
}

pub async fn reply(
    access: Allowed<CreateReplyForReviewComment, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    FoundComment(in_reply_to): FoundComment,
    Json(text): Json<Text>,
) -> Result<ApiResponse> {
    let comment = operations::create_reply(&app, &access.for_writing(), &pull, in_reply_to, text.body).await?;
    created(&app, &access, comment).await
}

async fn created<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, comment: Comment) -> Result<ApiResponse> {
    let context = access.context();
    let location = access.urls().review_comment(&access.repo.owner_login, &access.repo.name, comment.id);
    let ready = present::ready(app, context, &access.repo, vec![comment]).await?;
    let [ready] = ready.as_slice() else { return Err(Error::internal("one comment was made ready")) };
    Ok(ApiResponse::created(&ReviewComment::new(ready, context.media, &access.repo, access.urls()), location))
}
