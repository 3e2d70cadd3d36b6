//! Steps of the operations on review comments.

pub mod create;

use super::json::ReviewComment;
use super::present;
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{
    DeleteReviewComment, GetReviewComment, ListRepoReviewComments, ListReviewComments, UpdateReviewComment,
};
use crate::pulls::find_pull;
use crate::request::body::Json;
use crate::request::context::RequestContext;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::CommentId;
use plinth_core::repos::RepoTarget;
use plinth_core::review_comments::model::{Comment, Listing, Order, Scope};
use plinth_core::review_comments::{Text, operations, store};

pub async fn list_for_repo(access: Allowed<ListRepoReviewComments, RepoTarget>, app: App) -> Result<ApiResponse> {
    let scope = Scope::Repo(access.repo.id);
    list_in(&app, &access, scope, &["created", "updated", "created_at"]).await
}

pub async fn list(access: Allowed<ListReviewComments, RepoTarget>, app: App) -> Result<ApiResponse> {
    let pull = find_pull(&app, &access).await?;
    list_in(&app, &access, Scope::Pull(pull.id), &["created", "updated"]).await
}

pub async fn get(access: Allowed<GetReviewComment, RepoTarget>, app: App) -> Result<ApiResponse> {
    let comment = find(&app, &access).await?;
    // A push moves the lines of a comment without touching the comment.
    let changed = comment.updated_at.max(comment.version.created_at);
    Ok(show(&app, &access, comment).await?.with_last_modified(Some(changed)))
}

pub async fn update(
    access: Allowed<UpdateReviewComment, RepoTarget>,
    app: App,
    text: Result<Json<Text>>,
) -> Result<ApiResponse> {
    let body = text.map(|Json(text)| text.body);
    let comment = operations::update(&app, &access.for_writing(), comment_id(&access)?, body).await?;
    show(&app, &access, comment).await
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
    let listing =
        Listing { scope, order: order(context, sorts), since: since(context)?, viewer: access.caller().actor() };
    let mut db = app.read().await?;
    let comments = store::list(&mut db, &listing, (page.limit(), page.offset())).await?;
    let total = store::count(&mut db, &listing).await?;
    drop(db);
    let ready = present::ready(app, context, &access.repo, comments).await?;
    Ok(ApiResponse::ok(&present::shown(&ready, context, &access.repo)).with_link(page::link(page, context, total)))
}

/// The comment that the path names inside its repository.
async fn find<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>) -> Result<Comment> {
    let id = comment_id(access)?;
    let mut db = app.read().await?;
    store::find(&mut db, access.repo.id, id, access.caller().actor()).await?.ok_or(Error::NotFound)
}

fn comment_id<E: Endpoint>(access: &Allowed<E, RepoTarget>) -> Result<CommentId> {
    access.context().params.number("comment_id").ok_or(Error::NotFound)
}

async fn show<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, comment: Comment) -> Result<ApiResponse> {
    let context = access.context();
    let ready = present::ready(app, context, &access.repo, vec![comment]).await?;
    let [ready] = ready.as_slice() else { return Err(Error::internal("one comment was made ready")) };
    Ok(ApiResponse::ok(&ReviewComment::new(ready, context.media, &access.repo, access.urls())))
}

/// Without a sort that is known, the order is by id and the direction is ignored.
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

fn since(context: &RequestContext) -> Result<Option<Timestamp>> {
    let Some(text) = context.query("since").filter(|text| !text.is_empty()) else { return Ok(None) };
    let moment = Timestamp::parse(&text);
    moment.map(Some).ok_or_else(|| Error::Shape(vec![format!("{text} is not a valid date-time.")]))
}
