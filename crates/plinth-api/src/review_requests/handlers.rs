//! Handlers of requests to review.

use plinth_base::error::Result;
use plinth_core::pulls::model::Pull;
use plinth_core::repos::RepoTarget;
use plinth_core::review_requests::{self, store};

use super::body::{RemoveReviewersBody, RequestReviewersBody};
use super::json::RequestedReviewers;
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{ListRequestedReviewers, RemoveRequestedReviewers, RequestReviewers};
use crate::pulls::json::{PullRequest, Ready};
use crate::pulls::{FoundPull, ready_one};
use crate::request::Allowed;
use crate::request::body::Json;
use crate::response::api_response::ApiResponse;

pub async fn list(
    access: Allowed<ListRequestedReviewers, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
) -> Result<ApiResponse> {
    let mut found = store::list(&mut app.read().await?, std::iter::once(pull.id)).await?;
    let reviewers = found.remove(&pull.id).unwrap_or_default();
    Ok(ApiResponse::ok(&RequestedReviewers::new(&reviewers, access.urls())))
}

pub async fn request(
    access: Allowed<RequestReviewers, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    Json(body): Json<RequestReviewersBody>,
) -> Result<ApiResponse> {
    let pull = review_requests::request(&app, &access.for_writing(), &pull, body.into()).await?;
    let location = access.urls().pull(&access.repo.owner_login, &access.repo.name, pull.number);
    let ready = ready(&app, &access, pull).await?;
    let shown = PullRequest::new(&ready, access.context().media, &access.repo, access.urls());
    Ok(ApiResponse::created(&shown, location))
}

pub async fn remove(
    access: Allowed<RemoveRequestedReviewers, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    Json(body): Json<RemoveReviewersBody>,
) -> Result<ApiResponse> {
    let pull = review_requests::remove(&app, &access.for_writing(), &pull, body.into()).await?;
    let ready = ready(&app, &access, pull).await?;
    Ok(ApiResponse::ok(&PullRequest::new(&ready, access.context().media, &access.repo, access.urls())))
}

async fn ready<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, pull: Pull) -> Result<Ready> {
    ready_one(app, access.context(), &access.repo, pull).await
}
