//! Handlers of the operations on pull requests.

pub mod commit;
pub mod commit_reports;
pub mod commits;
pub mod files;
pub mod patch;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::body::{CreatePullBody, UpdatePullBody};
use super::extract::FoundPull;
use super::json::{PullRequest, Ready, WholePullRequest};
use crate::app::App;
use crate::negotiation::Media;
use crate::policy::Endpoint;
use crate::policy::table::{CreatePull, GetPull, ListPulls, UpdatePull};
use crate::rendering::render;
use crate::request::Allowed;
use crate::request::body::Json;
use crate::request::context::RequestContext;
use crate::request::page;
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_core::issues::assignee_store;
use plinth_core::labels;
use plinth_core::pulls::model::Pull;
use plinth_core::pulls::store::{self, Filter, Order};
use plinth_core::pulls::{operations, test_merge_later};
use plinth_core::repos::Repo;
use plinth_core::repos::RepoTarget;
use plinth_core::repos::store::count_open_issues;
use plinth_core::review_requests;
use plinth_markdown::Rendered;
use plinth_store::Connection;

pub async fn list(access: Allowed<ListPulls, RepoTarget>, app: App) -> Result<ApiResponse> {
    let context = access.context();
    let page = page::of(context);
    let (filter, order) = (filter(context, &access.repo), order(context));
    let mut db = app.read().await?;
    let pulls = store::list(&mut db, access.repo.id, &filter, order, (page.limit(), page.offset())).await?;
    let total = store::count(&mut db, access.repo.id, &filter).await?;
    drop(db);
    let ready = ready(&app, context, &access.repo, pulls).await?;
    let (media, repo, urls) = (context.media, &access.repo, access.urls());
    let shown: Vec<_> = ready.iter().map(|ready| PullRequest::new(ready, media, repo, urls)).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

pub async fn create(
    access: Allowed<CreatePull, RepoTarget>,
    app: App,
    Json(body): Json<CreatePullBody>,
) -> Result<ApiResponse> {
    let (pull, size) = operations::create(&app, &access.for_writing(), body.into()).await?;
    let location = access.urls().pull(&access.repo.owner_login, &access.repo.name, pull.number);
    let ready = ready_one(&app, access.context(), &access.repo, pull).await?;
    let shown = WholePullRequest::new(&ready, size, access.context().media, &access.repo, access.urls());
    Ok(ApiResponse::created(&shown, location))
}

pub async fn get(access: Allowed<GetPull, RepoTarget>, app: App) -> Result<ApiResponse> {
    let pull = find_pull(&app, &access).await?;
    match access.context().media {
        Media::Diff => patch::diff(&app, &pull).await,
        Media::Patch => patch::patch(&app, &pull).await,
        Media::Json | Media::Raw | Media::Text | Media::Html | Media::Full | Media::Sha | Media::Object => {
            test_merge_later(&app, &pull);
            let updated_at = pull.updated_at;
            Ok(show(&app, &access, pull).await?.with_last_modified(Some(updated_at)))
        }
    }
}

pub async fn update(
    access: Allowed<UpdatePull, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    Json(body): Json<UpdatePullBody>,
) -> Result<ApiResponse> {
    let pull = operations::update(&app, &access.for_writing(), &pull, body.into()).await?;
    show(&app, &access, pull).await
}

async fn show<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, pull: Pull) -> Result<ApiResponse> {
    let size = operations::size(app, &pull).await?;
    let ready = ready_one(app, access.context(), &access.repo, pull).await?;
    let shown = WholePullRequest::new(&ready, size, access.context().media, &access.repo, access.urls());
    Ok(ApiResponse::ok(&shown))
}

pub async fn ready_one(app: &App, context: &RequestContext, repo: &Repo, pull: Pull) -> Result<Ready> {
    let ready = ready(app, context, repo, vec![pull]).await?.pop();
    ready.ok_or_else(|| Error::internal("one pull request became none"))
}

/// Completes pull requests with what their JSON needs. A body that is null has no rendered form.
pub(super) async fn ready(app: &App, context: &RequestContext, repo: &Repo, pulls: Vec<Pull>) -> Result<Vec<Ready>> {
    let bodies = pulls.iter().map(|pull| pull.body.as_deref().unwrap_or_default());
    let rendered = render(app, context, repo, bodies).await?;
    let ready = complete(&mut app.read().await?, pulls).await?;
    let with = |(ready, rendered): (Ready, Option<Arc<Rendered>>)| Ready {
        rendered: rendered.filter(|_| ready.pull.body.is_some()),
        ..ready
    };
    Ok(ready.into_iter().zip(rendered).map(with).collect())
}

/// Completes pull requests of any repositories, but for rendered bodies.
pub async fn complete(db: &mut Connection, pulls: Vec<Pull>) -> Result<Vec<Ready>> {
    let repos: BTreeSet<RepoId> = pulls.iter().map(|pull| pull.repo_id).collect();
    let open = count_open_issues(db, repos.into_iter()).await?;
    let mut reviewers = review_requests::store::list(db, pulls.iter().map(|pull| pull.id)).await?;
    let mut labels = labels::store::list_of(db, pulls.iter().map(|pull| pull.issue_id)).await?;
    let mut assignees = assignee_store::list_of(db, pulls.iter().map(|pull| pull.issue_id)).await?;
    let ready = |pull: Pull| Ready {
        rendered: None,
        open_issues: open.get(&pull.repo_id).copied().unwrap_or_default(),
        reviewers: reviewers.remove(&pull.id).unwrap_or_default(),
        labels: labels.remove(&pull.issue_id).unwrap_or_default(),
        assignees: assignees.remove(&pull.issue_id).unwrap_or_default(),
        pull,
    };
    Ok(pulls.into_iter().map(ready).collect())
}

/// The pull request that the path names inside its repository.
pub async fn find_pull<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>) -> Result<Pull> {
    let number = access.context().params.number("pull_number").ok_or(Error::NotFound)?;
    let mut db = app.read().await?;
    store::find(&mut db, access.target.repo.id, number).await?.ok_or(Error::NotFound)
}

fn filter(context: &RequestContext, repo: &Repo) -> Filter {
    let word = |name| context.query(name).map(std::borrow::Cow::into_owned).unwrap_or_default();
    let state = match word("state").as_str() {
        "all" => String::new(),
        "closed" => "closed".into(),
        _ => "open".into(),
    };
    let head = word("head");
    let head_ref = match head.split_once(':') {
        Some((owner, branch)) if owner.eq_ignore_ascii_case(&repo.owner_login) => branch.to_owned(),
        // A branch of someone else's repository is nobody's head here, and no branch has an empty part.
        Some(_) => "//".into(),
        None => head,
    };
    Filter { state, head_ref, base_ref: word("base") }
}

fn order(context: &RequestContext) -> Order {
    let by_update = context.query("sort").as_deref() == Some("updated");
    // Left to itself, a list by creation begins with the newest and any other with the oldest.
    let up = match context.query("direction").as_deref() {
        Some("asc") => true,
        Some("desc") => false,
        _ => by_update,
    };
    match (by_update, up) {
        (false, true) => Order::CreatedUp,
        (false, false) => Order::CreatedDown,
        (true, true) => Order::UpdatedUp,
        (true, false) => Order::UpdatedDown,
    }
}
