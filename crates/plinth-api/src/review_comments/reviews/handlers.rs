//! Handlers of the operations on reviews.

use super::body::{CreateReviewBody, SubmitReviewBody};
use super::json::PullRequestReview;
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{
    AddReviewComment, CreateReview, DeletePendingReview, GetReview, ListReviewCommentsOfReview, ListReviews,
    SubmitReview,
};
use crate::pulls::{FoundPull, find_pull};
use crate::rendering::render;
use crate::request::body::Json;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use crate::review_comments::body::DraftCommentBody;
use crate::review_comments::handlers::{created, list_in};
use plinth_base::error::{Error, Result};
use plinth_base::ids::ReviewId;
use plinth_core::repos::RepoTarget;
use plinth_core::review_comments::model::{Scope, WrittenComment};
use plinth_core::review_comments::reviews::model::Review;
use plinth_core::review_comments::reviews::{operations, store};
use plinth_core::review_comments::store as comments;

pub async fn list(access: Allowed<ListReviews, RepoTarget>, app: App) -> Result<ApiResponse> {
    let pull = find_pull(&app, &access).await?;
    let (context, viewer) = (access.context(), access.caller().actor());
    let page = page::of(context);
    let mut db = app.read().await?;
    let reviews = store::list(&mut db, pull.id, viewer, (page.limit(), page.offset())).await?;
    let total = store::count(&mut db, pull.id, viewer).await?;
    drop(db);
    let bodies = reviews.iter().map(|review| review.body.as_str());
    let rendered = render(&app, context, &access.repo, bodies).await?;
    let both = reviews.iter().zip(&rendered);
    let shown: Vec<_> = both
        .map(|(review, rendered)| {
            PullRequestReview::new(review, rendered.as_ref(), context.media, &access.repo, &context.urls)
        })
        .collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

pub async fn create(
    access: Allowed<CreateReview, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    Json(body): Json<CreateReviewBody>,
) -> Result<ApiResponse> {
    let review = operations::create(&app, &access.for_writing(), pull, body.into()).await?;
    show(&app, &access, &review).await
}

pub async fn get(access: Allowed<GetReview, RepoTarget>, app: App) -> Result<ApiResponse> {
    let review = find(&app, &access).await?;
    show(&app, &access, &review).await
}

pub async fn submit(
    access: Allowed<SubmitReview, RepoTarget>,
    app: App,
    Json(body): Json<SubmitReviewBody>,
) -> Result<ApiResponse> {
    let review = find(&app, &access).await?;
    let review = operations::submit(&app, &access.for_writing(), &review, body.into()).await?;
    show(&app, &access, &review).await
}

pub async fn add_comment(
    access: Allowed<AddReviewComment, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    Json(body): Json<DraftCommentBody>,
) -> Result<ApiResponse> {
    let review = find(&app, &access).await?;
    let id = operations::add_comment(&app, &access.for_writing(), (pull, &review), body.into()).await?;
    let comment = comments::find(&mut app.read().await?, access.repo.id, id, access.caller().actor()).await?;
    // Nobody else sees it yet, so it is not cached.
    let made = WrittenComment { comment: comment.ok_or(Error::NotFound)?, generations: None };
    created(&app, &access, made).await
}

pub async fn delete(access: Allowed<DeletePendingReview, RepoTarget>, app: App) -> Result<ApiResponse> {
    let review = find(&app, &access).await?;
    let review = operations::delete(&access.for_writing(), &review).await?;
    show(&app, &access, &review).await
}

pub async fn list_comments(access: Allowed<ListReviewCommentsOfReview, RepoTarget>, app: App) -> Result<ApiResponse> {
    let review = find(&app, &access).await?;
    list_in(&app, &access, Scope::Review(review.id), &[]).await
}

/// The review that the path names inside its pull request.
async fn find<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>) -> Result<Review> {
    let pull = find_pull(app, access).await?;
    let id = access.context().params.number::<ReviewId>("review_id").ok_or(Error::NotFound)?;
    let mut db = app.read().await?;
    store::find(&mut db, pull.id, id, access.caller().actor()).await?.ok_or(Error::NotFound)
}

async fn show<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, review: &Review) -> Result<ApiResponse> {
    let context = access.context();
    let rendered = render(app, context, &access.repo, std::iter::once(review.body.as_str())).await?.pop().flatten();
    let shown = PullRequestReview::new(review, rendered.as_ref(), context.media, &access.repo, &context.urls);
    Ok(ApiResponse::ok(&shown))
}
