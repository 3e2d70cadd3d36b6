//! Steps of the operations on pull requests.

pub mod commit;
pub mod commits;
pub mod files;
mod patch;

use super::found::FoundPull;
use super::json::{NewPullRequest, PullRequest, PullRequestChanges, WholePullRequest};
use super::model::{Pull, Size};
use super::range::at_desk;
use super::store::{self, Filter, NewPull, Order};
use super::{changes, follow, moves, rules};
use crate::api::access::table::{CreatePull, GetPull, ListPulls, UpdatePull};
use crate::api::access::{Allowed, Endpoint, RepoTarget};
use crate::api::body::Json;
use crate::api::exchange::Exchange;
use crate::api::media::Media;
use crate::api::page::Page;
use crate::api::reply::Reply;
use crate::app::App;
use crate::error::{Error, Result};
use crate::repos::Repo;
use crate::tokens::Principal;

pub async fn list(access: Allowed<ListPulls, RepoTarget>, app: App) -> Result<Reply> {
    let exchange = access.exchange();
    let page = Page::of(exchange);
    let (filter, order) = (filter(exchange, &access.repo), order(exchange));
    let mut db = app.store.read().await?;
    let pulls = store::list(&mut db, access.repo.id, &filter, order, (page.limit(), page.offset())).await?;
    let total = store::count(&mut db, access.repo.id, &filter).await?;
    let shown: Vec<_> = pulls.iter().map(|pull| PullRequest::new(pull, &access.repo, access.urls())).collect();
    Ok(Reply::ok(&shown).with_link(page.link(exchange, total)))
}

pub async fn create(
    access: Allowed<CreatePull, RepoTarget>,
    app: App,
    Json(new): Json<NewPullRequest>,
) -> Result<Reply> {
    rules::check_new(&new)?;
    let head_ref = rules::head_branch(&access.repo, &new.head)?.to_owned();
    let author = actor(access.caller())?;
    app.limiter.admit_content(author, CreatePull::ROW.operation, &new.title, app.clock.now())?;
    check_commits(&app, &access.repo, &head_ref, &new.base).await?;
    let NewPullRequest { title, body, draft, base: base_ref, .. } = new;
    let new = NewPull { repo: access.repo.id, title, body, draft, author, head_ref, base_ref };
    let context = (access.repo.clone(), new, app.clock.now());
    let pull = access
        .write(&app.store, context, |tx, (repo, new, now)| Box::pin(changes::create(tx, repo, new, *now)))
        .await?;
    let size = size(&app, &pull).await?;
    follow(&app, pull.repo_id, moves::Moved { pulls: vec![pull.id], ..Default::default() });
    let location = access.urls().pull(&access.repo.owner_login, &access.repo.name, pull.number);
    Ok(Reply::created(&WholePullRequest::new(&pull, size, &access.repo, access.urls()), location))
}

pub async fn get(access: Allowed<GetPull, RepoTarget>, app: App) -> Result<Reply> {
    let pull = find(&app, &access).await?;
    match access.exchange().media {
        Media::Diff => patch::diff(&app, &pull).await,
        Media::Patch => patch::patch(&app, &pull).await,
        Media::Json | Media::Raw | Media::Text | Media::Html | Media::Full => {
            let size = size(&app, &pull).await?;
            let shown = WholePullRequest::new(&pull, size, &access.repo, access.urls());
            Ok(Reply::ok(&shown).with_last_modified(Some(pull.updated_at)))
        }
    }
}

pub async fn update(
    access: Allowed<UpdatePull, RepoTarget>,
    app: App,
    FoundPull(pull): FoundPull,
    Json(changes): Json<PullRequestChanges>,
) -> Result<Reply> {
    rules::check_editor(access.caller(), access.role, pull.author)?;
    rules::check_changes(&changes)?;
    if let Some(base) = &changes.base {
        check_commits(&app, &access.repo, &pull.head_ref, base).await?;
    }
    let context = (access.repo.clone(), pull.number, changes, app.clock.now());
    let (pull, is_new) = access
        .write(&app.store, context, |tx, (repo, number, changes, now)| {
            Box::pin(changes::update(tx, repo, *number, changes, *now))
        })
        .await?;
    if is_new {
        follow(&app, pull.repo_id, moves::Moved { pulls: vec![pull.id], ..Default::default() });
    }
    let size = size(&app, &pull).await?;
    Ok(Reply::ok(&WholePullRequest::new(&pull, size, &access.repo, access.urls())))
}

/// The pull request that the path names inside its repository.
pub async fn find<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>) -> Result<Pull> {
    let number = access.exchange().params.number("pull_number").ok_or(Error::NotFound)?;
    let mut db = app.store.read().await?;
    store::find(&mut db, access.target.repo.id, number).await?.ok_or(Error::NotFound)
}

fn actor(caller: &Principal) -> Result<crate::ids::AccountId> {
    caller.actor().ok_or(Error::Unauthenticated("Requires authentication"))
}

/// There must be something to propose.
async fn check_commits(app: &App, repo: &Repo, head_ref: &str, base_ref: &str) -> Result<()> {
    let mut db = app.store.read().await?;
    let head = changes::tip(&mut db, repo.id, head_ref, "head").await?;
    let base = changes::tip(&mut db, repo.id, base_ref, "base").await?;
    drop(db);
    let found = at_desk(app, repo.id, move |desk| {
        let merge_base = desk.comparisons.merge_base(desk.repo, desk.reader, &base, &head)?;
        Ok((merge_base, desk.reader.is_ancestor(&head, &base)?))
    });
    match found.await? {
        (None, _) => Err(rules::no_history(base_ref, head_ref)),
        (Some(_), true) => Err(rules::no_commits(base_ref, head_ref)),
        (Some(_), false) => Ok(()),
    }
}

async fn size(app: &App, pull: &Pull) -> Result<Size> {
    let version = pull.version;
    match version.size {
        Some(known) => Ok(known),
        None => at_desk(app, pull.repo_id, move |desk| desk.size(&version)).await,
    }
}

fn filter(exchange: &Exchange, repo: &Repo) -> Filter {
    let word = |name| exchange.query(name).map(std::borrow::Cow::into_owned).unwrap_or_default();
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

fn order(exchange: &Exchange) -> Order {
    let by_update = exchange.query("sort").as_deref() == Some("updated");
    // Left to itself, a list by creation begins with the newest and any other with the oldest.
    let up = match exchange.query("direction").as_deref() {
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
