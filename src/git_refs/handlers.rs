//! Steps of the operations on references.

use http::HeaderMap;

use super::json::{self, NewRef, RefUpdate, Reference};
use super::{listing, moves, rules};
use crate::api::access::table::{CreateRef, DeleteRef, GetRef, GetRefOrPrefix, ListMatchingRefs, ListRefs, UpdateRef};
use crate::api::access::{Allowed, Endpoint, RepoTarget};
use crate::api::body::Json;
use crate::api::conditional::{EntityTag, is_not_modified};
use crate::api::page::Page;
use crate::api::reply::Reply;
use crate::app::App;
use crate::error::{Error, Result};
use crate::git::RefName;
use crate::refs::{self, store};

/// How long clients are asked to wait before they look at references again.
const POLL_INTERVAL_SECONDS: u32 = 300;

pub async fn list_matching(
    access: Allowed<ListMatchingRefs, RepoTarget>,
    app: App,
    headers: HeaderMap,
) -> Result<Reply> {
    let prefix = rules::prefix_at(address(&access));
    let seed = listing::seed(&access.repo, prefix.as_deref());
    let tag = EntityTag::new(access.exchange(), &seed);
    if is_not_modified(&headers, Some(&tag), access.pushed_at)? {
        return Ok(Reply::not_modified(seed).with_last_modified(access.pushed_at));
    }
    let mut db = app.store.read().await?;
    let first = listing::first_batch(&mut db, &access.repo, prefix.as_deref()).await?;
    if first.is_empty() {
        listing::check_not_empty(&mut db, access.repo.id).await?;
    }
    let list = listing::reply(&app, &access.repo, access.urls(), prefix, first);
    Ok(list.with_last_modified(access.pushed_at).with_poll_interval(POLL_INTERVAL_SECONDS))
}

pub async fn get(access: Allowed<GetRef, RepoTarget>, app: App) -> Result<Reply> {
    let mut db = app.store.read().await?;
    let found = match rules::name_at(address(&access)) {
        Some(name) => store::find(&mut db, access.repo.id, &name).await?,
        None => None,
    };
    let Some(found) = found else {
        listing::check_not_empty(&mut db, access.repo.id).await?;
        return Err(Error::NotFound);
    };
    let reference = Reference::new(&found, &access.repo, access.urls());
    Ok(Reply::ok(&reference).with_last_modified(access.pushed_at).with_poll_interval(POLL_INTERVAL_SECONDS))
}

pub async fn create(access: Allowed<CreateRef, RepoTarget>, app: App, Json(new): Json<NewRef>) -> Result<Reply> {
    let made = moves::create(&app, &access, new).await?;
    let location = json::url(&made, &access.repo, access.urls());
    Ok(Reply::created(&Reference::new(&made, &access.repo, access.urls()), location))
}

pub async fn update(access: Allowed<UpdateRef, RepoTarget>, app: App, Json(update): Json<RefUpdate>) -> Result<Reply> {
    let name = name_to_change(&app, &access).await?;
    let moved = moves::update(&app, &access, &name, &update).await?;
    Ok(Reply::ok(&Reference::new(&moved, &access.repo, access.urls())))
}

pub async fn delete(access: Allowed<DeleteRef, RepoTarget>, app: App) -> Result<Reply> {
    let name = name_to_change(&app, &access).await?;
    moves::delete(&app, &access, name).await?;
    Ok(Reply::no_content())
}

/// The older list, in pages.
pub async fn list(access: Allowed<ListRefs, RepoTarget>, app: App) -> Result<Reply> {
    let page = Page::of(access.exchange());
    let mut db = app.store.read().await?;
    let total = store::count(&mut db, access.repo.id).await?;
    if total == 0 {
        return Err(refs::rules::empty_repository());
    }
    let beyond = page.offset() >= total;
    let found = if beyond {
        Vec::new()
    } else {
        store::list_page(&mut db, access.repo.id, page.limit(), page.offset()).await?
    };
    let list: Vec<_> = found.iter().map(|found| Reference::new(found, &access.repo, access.urls())).collect();
    Ok(Reply::ok(&list).with_link(page.link(access.exchange(), total)).with_last_modified(access.pushed_at))
}

/// The older spelling: a reference of exactly this name, or else all whose names begin with it.
pub async fn get_or_list(access: Allowed<GetRefOrPrefix, RepoTarget>, app: App) -> Result<Reply> {
    let mut db = app.store.read().await?;
    if let Some(name) = rules::name_at(address(&access))
        && let Some(found) = store::find(&mut db, access.repo.id, &name).await?
    {
        let reference = Reference::new(&found, &access.repo, access.urls());
        return Ok(Reply::ok(&reference).with_last_modified(access.pushed_at));
    }
    let prefix = rules::prefix_at(address(&access));
    let first = listing::first_batch(&mut db, &access.repo, prefix.as_deref()).await?;
    if first.is_empty() {
        listing::check_not_empty(&mut db, access.repo.id).await?;
        return Err(Error::NotFound);
    }
    Ok(listing::reply(&app, &access.repo, access.urls(), prefix, first).with_last_modified(access.pushed_at))
}

fn address<E: Endpoint>(access: &Allowed<E, RepoTarget>) -> &str {
    access.exchange().params.get("ref")
}

/// A name that cannot exist does not.
async fn name_to_change<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>) -> Result<RefName> {
    if let Some(name) = rules::name_at(address(access)) {
        return Ok(name);
    }
    listing::check_not_empty(&mut app.store.read().await?, access.repo.id).await?;
    Err(rules::missing())
}
