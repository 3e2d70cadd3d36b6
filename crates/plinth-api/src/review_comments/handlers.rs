//! Handlers of the operations on review comments.

use plinth_core::comment_lists::list_page;
use plinth_core::pulls::threads::Position;
use plinth_core::repos::RepoTarget;
use std::collections::BTreeMap;

use super::body::{CreateCommentBody, TextBody};
use super::extract::FoundComment;
use super::json::{Ready, ReviewComment};
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{
    CreateReplyForReviewComment, CreateReviewComment, DeleteReviewComment, GetReviewComment, ListRepoReviewComments,
    ListReviewComments, UpdateReviewComment,
};
use crate::pulls::{FoundPull, find_pull};
use crate::rendering::render;
use crate::request::body::Json;
use crate::request::context::RequestContext;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{CommentId, PullId};
use plinth_core::pulls::threads;
use plinth_core::repos::Repo;
use plinth_core::review_comments::model::{Comment, Listing, Order, Scope};
use plinth_core::review_comments::{operations, store};

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
    // A push moves the lines of a comment without changing the comment.
    let changed = comment.updated_at.max(comment.version.created_at);
    Ok(show(&app, &access, comment).await?.with_last_modified(Some(changed)))
}

pub async fn update(
    access: Allowed<UpdateReviewComment, RepoTarget>,
    app: App,
    body: Result<Json<TextBody>>,
) -> Result<ApiResponse> {
    let body = body.map(|Json(body)| body.body);
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
    let listing = Listing {
        scope,
        order: order(context, sorts),
        since: context.query_time("since")?,
        viewer: access.caller().actor(),
    };
    let mut db = app.read().await?;
    let (comments, total) = list_page(&mut db, &listing, (page.limit(), page.offset())).await?;
    drop(db);
    let ready = ready(app, context, &access.repo, comments).await?;
    Ok(ApiResponse::ok(&shown(&ready, context, &access.repo)).with_link(page::link(page, context, total)))
}

/// The comment that the path names inside its repository.
async fn find<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>) -> Result<Comment> {
    let id = comment_id(access)?;
    let mut db = app.read().await?;
    store::find(&mut db, access.repo.id, id, access.caller().actor()).await?.ok_or(Error::NotFound)
}

pub fn comment_id<E: Endpoint>(access: &Allowed<E, RepoTarget>) -> Result<CommentId> {
    access.context().params.number("comment_id").ok_or(Error::NotFound)
}

async fn show<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, comment: Comment) -> Result<ApiResponse> {
    let context = access.context();
    let ready = ready(app, context, &access.repo, vec![comment]).await?;
    let [ready] = ready.as_slice() else { return Err(Error::internal("one comment became several or none")) };
    Ok(ApiResponse::ok(&ReviewComment::new(ready, context.media, &access.repo, access.urls())))
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

pub async fn created<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, comment: Comment) -> Result<ApiResponse> {
    let context = access.context();
    let location = access.urls().review_comment(&access.repo.owner_login, &access.repo.name, comment.id);
    let ready = ready(app, context, &access.repo, vec![comment]).await?;
    let [ready] = ready.as_slice() else { return Err(Error::internal("one comment became several or none")) };
    Ok(ApiResponse::created(&ReviewComment::new(ready, context.media, &access.repo, access.urls()), location))
}

/// Completes comments with what their JSON needs: positions and rendered texts.
async fn ready(app: &App, context: &RequestContext, repo: &Repo, mut comments: Vec<Comment>) -> Result<Vec<Ready>> {
    fill_positions(app, repo, &mut comments).await?;
    let bodies = comments.iter().map(|comment| comment.body.as_str());
    let mut rendered = render(app, context, repo, bodies).await?.into_iter();
    let ready = comments.into_iter().map(|mut comment| {
        let position = comment.position.take().ok_or_else(|| Error::internal("a position was not computed"))?;
        Ok(Ready { comment, position, rendered: rendered.next().flatten() })
    });
    ready.collect()
}

fn shown<'a>(ready: &'a [Ready], context: &'a RequestContext, repo: &'a Repo) -> Vec<ReviewComment<'a>> {
    ready.iter().map(|ready| ReviewComment::new(ready, context.media, repo, &context.urls)).collect()
}

/// Computes the missing positions, one pull request at a time.
async fn fill_positions(app: &App, repo: &Repo, comments: &mut [Comment]) -> Result<()> {
    let mut missing: BTreeMap<PullId, BTreeMap<i64, usize>> = BTreeMap::new();
    for (index, comment) in comments.iter().enumerate().filter(|(_, comment)| comment.position.is_none()) {
        missing.entry(comment.pull_id).or_default().insert(comment.thread.id, index);
    }
    for (pull, threads) in missing {
        let wanted: Vec<_> = threads.values().map(|index| comments[*index].thread.clone()).collect();
        let Some(version) = threads.values().next().map(|index| comments[*index].version) else { continue };
        let positions = threads::find_positions(app, repo.id, pull, &version, wanted).await?;
        let by_thread: BTreeMap<i64, Position> = threads.into_keys().zip(positions).collect();
        for comment in comments.iter_mut().filter(|comment| comment.pull_id == pull && comment.position.is_none()) {
            comment.position = by_thread.get(&comment.thread.id).cloned();
        }
    }
    Ok(())
}
