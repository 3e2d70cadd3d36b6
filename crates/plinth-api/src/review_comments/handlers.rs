//! Handlers of the operations on review comments.

use plinth_core::repos::RepoTarget;

use super::body::{CreateCommentBody, TextBody};
use super::extract::FoundComment;
use super::fragments::{list_response, response};
use super::reading::Reading;
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{
    CreateReplyForReviewComment, CreateReviewComment, DeleteReviewComment, GetReviewComment, ListRepoReviewComments,
    ListReviewComments, UpdateReviewComment,
};
use crate::pulls::FoundPull;
use crate::request::body::Json;
use crate::request::context::RequestContext;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::CommentId;
use plinth_core::review_comments::model::{Listing, Order, Scope, WrittenComment};
use plinth_core::review_comments::{operations, store};

pub async fn list_for_repo(access: Allowed<ListRepoReviewComments, RepoTarget>, app: App) -> Result<ApiResponse> {
    let scope = Scope::Repo(access.repo.id);
    list_in(&app, &access, scope, &["created", "updated", "created_at"]).await
}

pub async fn list(
    access: Allowed<ListReviewComments, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
) -> Result<ApiResponse> {
    list_in(&app, &access, Scope::Pull(pull.id), &["created", "updated"]).await
}

pub async fn get(access: Allowed<GetReviewComment, RepoTarget>, app: App) -> Result<ApiResponse> {
    let id = comment_id(&access)?;
    let reading = reading(&app, &access);
    if reading.is_plain() {
        access.context().dependency.get_or_init(|| store::dependency_on(access.repo.id, id));
    }
    let fragment = reading.find(id).await?;
    Ok(response(&fragment).with_last_modified(Some(fragment.last_modified)))
}

pub async fn update(
    access: Allowed<UpdateReviewComment, RepoTarget>,
    app: App,
    body: Result<Json<TextBody>>,
) -> Result<ApiResponse> {
    let body = body.map(|Json(body)| body.body);
    let comment = operations::update(&app, &access.for_writing(), comment_id(&access)?, body).await?;
    Ok(response(&*reading(&app, &access).written(comment).await?))
}

pub async fn delete(access: Allowed<DeleteReviewComment, RepoTarget>, app: App) -> Result<ApiResponse> {
    operations::delete(&app, &access.for_writing(), comment_id(&access)?).await?;
    Ok(ApiResponse::no_content())
}

/// One page of comments.
pub async fn list_in<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    scope: Scope,
    sorts: &[&str],
) -> Result<ApiResponse> {
    let context = access.context();
    let page = page::of(context);
    let listing = Listing {
        scope,
        order: order(context, sorts),
        since: context.query_time("since")?,
        viewer: access.caller().actor(),
    };
    let reading = reading(app, access);
    if reading.is_plain() {
        context.dependency.get_or_init(|| store::dependency_on_all(access.repo.id));
    }
    let (fragments, total) = reading.list(&listing, (page.limit(), page.offset())).await?;
    Ok(list_response(&fragments).with_link(page::link(page, context, total)))
}

pub fn comment_id<E: Endpoint>(access: &Allowed<E, RepoTarget>) -> Result<CommentId> {
    access.context().params.number("comment_id").ok_or(Error::NotFound)
}

fn reading<'a, E: Endpoint>(app: &'a App, access: &'a Allowed<E, RepoTarget>) -> Reading<'a> {
    Reading { app, context: access.context(), repo: &access.repo, viewer: access.caller().actor() }
}

/// Without a known sort key, the order is by id and the direction is ignored.
fn order(context: &RequestContext, sorts: &[&str]) -> Order {
    let sort = context.query("sort").filter(|sort| sorts.contains(&sort.as_ref()));
    let down = context.query("direction").as_deref() == Some("desc");
    match (sort.as_deref(), down) {
        (None, _) | (Some("created" | "created_at"), false) => Order::Up,
        (Some("updated"), false) => Order::UpdatedUp,
        (Some("updated"), true) => Order::UpdatedDown,
        (Some(_), down) => {
            if down {
                Order::Down
            } else {
                Order::Up
            }
        }
    }
}

pub async fn create(
    access: Allowed<CreateReviewComment, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    Json(body): Json<CreateCommentBody>,
) -> Result<ApiResponse> {
    let comment = operations::create(&app, &access.for_writing(), &pull, body.into()).await?;
    created(&app, &access, comment).await
}

pub async fn reply(
    access: Allowed<CreateReplyForReviewComment, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    FoundComment(in_reply_to): FoundComment,
    Json(body): Json<TextBody>,
) -> Result<ApiResponse> {
    let comment = operations::create_reply(&app, &access.for_writing(), &pull, in_reply_to, body.body).await?;
    created(&app, &access, comment).await
}

pub async fn created<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    made: WrittenComment,
) -> Result<ApiResponse> {
    let location = access.urls().review_comment(&access.repo.owner_login, &access.repo.name, made.comment.id);
    Ok(response(&*reading(app, access).written(made).await?).with_created_location(location))
}
