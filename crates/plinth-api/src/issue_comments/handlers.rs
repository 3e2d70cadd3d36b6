//! Handlers of the operations on comments on issues.

use plinth_base::error::{Error, Result};
use plinth_base::ids::IssueCommentId;
use plinth_core::comment_lists::list_page;
use plinth_core::issue_comments::{self as core, Listing, Order, Scope, operations, store};
use plinth_core::repos::RepoTarget;

use super::json::{IssueComment, Ready};
use crate::app::App;
use crate::issues::{FoundConversation, check};
use crate::policy::Endpoint;
use crate::policy::table::{
    CreateIssueComment, DeleteIssueComment, GetIssueComment, ListIssueComments, ListRepoIssueComments,
    UpdateIssueComment,
};
use crate::rendering::render;
use crate::request::body::Json;
use crate::request::context::RequestContext;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use crate::review_comments::body::TextBody;

pub async fn list(
    access: Allowed<ListIssueComments, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
) -> Result<ApiResponse> {
    check(&access, &of)?;
    list_in(&app, &access, Scope::Issue(of.id), Order::Up).await
}

pub async fn list_for_repo(access: Allowed<ListRepoIssueComments, RepoTarget>, app: App) -> Result<ApiResponse> {
    let order = order(access.context());
    list_in(&app, &access, Scope::Repo(access.repo.id), order).await
}

pub async fn create(
    access: Allowed<CreateIssueComment, RepoTarget>,
    app: App,
    FoundConversation(of): FoundConversation,
    Json(body): Json<TextBody>,
) -> Result<ApiResponse> {
    check(&access, &of)?;
    let comment = operations::create(&app, &access.for_writing(), of, body.body).await?;
    let location = access.urls().issue_comment(&access.repo.owner_login, &access.repo.name, comment.id);
    let ready = ready_one(&app, &access, comment).await?;
    let shown = IssueComment::new(&ready, access.context().media, &access.repo, access.urls());
    Ok(ApiResponse::created(&shown, location))
}

pub async fn get(access: Allowed<GetIssueComment, RepoTarget>, app: App) -> Result<ApiResponse> {
    let found = store::find(&mut app.read().await?, access.repo.id, comment_id(&access)?).await?;
    let comment = found.ok_or(Error::NotFound)?;
    check(&access, &comment.conversation())?;
    let updated_at = comment.updated_at;
    Ok(show(&app, &access, comment).await?.with_last_modified(Some(updated_at)))
}

pub async fn update(
    access: Allowed<UpdateIssueComment, RepoTarget>,
    app: App,
    body: Result<Json<TextBody>>,
) -> Result<ApiResponse> {
    let body = body.map(|Json(body)| body.body);
    let comment = operations::update(&app, &access.for_writing(), comment_id(&access)?, body).await?;
    show(&app, &access, comment).await
}

pub async fn delete(access: Allowed<DeleteIssueComment, RepoTarget>, app: App) -> Result<ApiResponse> {
    operations::delete(&app, &access.for_writing(), comment_id(&access)?).await?;
    Ok(ApiResponse::no_content())
}

fn comment_id<E: Endpoint>(access: &Allowed<E, RepoTarget>) -> Result<IssueCommentId> {
    access.context().params.number("comment_id").ok_or(Error::NotFound)
}

async fn list_in<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    scope: Scope,
    order: Order,
) -> Result<ApiResponse> {
    let context = access.context();
    let page = page::of(context);
    let listing = Listing { scope, order, since: context.query_time("since")? };
    let mut db = app.read().await?;
    let (comments, total) = list_page(&mut db, &listing, (page.limit(), page.offset())).await?;
    drop(db);
    let ready = ready(app, access, comments).await?;
    let shown: Vec<_> =
        ready.iter().map(|ready| IssueComment::new(ready, context.media, &access.repo, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

async fn show<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    comment: core::IssueComment,
) -> Result<ApiResponse> {
    let ready = ready_one(app, access, comment).await?;
    Ok(ApiResponse::ok(&IssueComment::new(&ready, access.context().media, &access.repo, access.urls())))
}

async fn ready_one<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    comment: core::IssueComment,
) -> Result<Ready> {
    let ready = ready(app, access, vec![comment]).await?.pop();
    ready.ok_or_else(|| Error::internal("one comment became none"))
}

/// Completes comments with their rendered texts.
async fn ready<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    comments: Vec<core::IssueComment>,
) -> Result<Vec<Ready>> {
    let bodies = comments.iter().map(|comment| comment.body.as_str());
    let rendered = render(app, access.context(), &access.repo, bodies).await?;
    Ok(comments.into_iter().zip(rendered).map(|(comment, rendered)| Ready { comment, rendered }).collect())
}

/// Without a known sort key, the order is by id and the direction is ignored.
fn order(context: &RequestContext) -> Order {
    let down = context.query("direction").as_deref() == Some("desc");
    match (context.query("sort").as_deref(), down) {
        (Some("updated"), false) => Order::UpdatedUp,
        (Some("updated"), true) => Order::UpdatedDown,
        (Some("created"), true) => Order::Down,
        _ => Order::Up,
    }
}
