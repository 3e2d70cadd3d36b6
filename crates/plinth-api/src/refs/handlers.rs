//! Handlers of the operations on references.

use http::HeaderMap;
use plinth_core::repos::RepoTarget;

use super::body::{CreateRefBody, UpdateRefBody};
use super::json::{self, Reference};
use super::listing;
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{CreateRef, DeleteRef, GetRef, GetRefOrPrefix, ListMatchingRefs, ListRefs, UpdateRef};
use crate::request::body::Json;
use crate::request::conditional::{EntityTag, is_not_modified};
use crate::request::{Allowed, page, shared};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_core::ref_updates::{self, check_not_empty, rules};
use plinth_core::refs::{self, Ref, dependencies, store};
use plinth_git::RefName;

/// How long clients should wait before they poll references again.
const POLL_INTERVAL_SECONDS: u32 = 300;

pub async fn list_matching(
    access: Allowed<ListMatchingRefs, RepoTarget>,
    app: App,
    headers: HeaderMap,
) -> Result<ApiResponse> {
    let prefix = rules::prefix_at(ref_param(&access));
    let seed = listing::seed(&access.repo, prefix.as_deref());
    let tag = EntityTag::new(access.context(), &seed);
    if is_not_modified(&headers, Some(&tag), access.pushed_at)? {
        return Ok(ApiResponse::not_modified(seed).with_last_modified(access.pushed_at));
    }
    let list = shared(&app, &access, async || {
        let mut db = app.read().await?;
        let first = listing::first_batch(&mut db, &access.repo, prefix.as_deref()).await?;
        if first.is_empty() {
            check_not_empty(&mut db, access.repo.id).await?;
        }
        let list = listing::respond(&app, &access.repo, access.urls(), prefix, first);
        Ok((list, dependencies::on_refs(access.repo.id)))
    });
    let list = list.await?.with_entity_seed(seed);
    Ok(list.with_last_modified(access.pushed_at).with_poll_interval(POLL_INTERVAL_SECONDS))
}

pub async fn get(access: Allowed<GetRef, RepoTarget>, app: App) -> Result<ApiResponse> {
    let Some(found) = find_named(&app, &access).await? else {
        check_not_empty(&mut app.read().await?, access.repo.id).await?;
        return Err(Error::NotFound);
    };
    let reference = Reference::new(&found, &access.repo, access.urls());
    Ok(ApiResponse::ok(&reference).with_last_modified(access.pushed_at).with_poll_interval(POLL_INTERVAL_SECONDS))
}

pub async fn create(
    access: Allowed<CreateRef, RepoTarget>,
    app: App,
    Json(body): Json<CreateRefBody>,
) -> Result<ApiResponse> {
    let made = ref_updates::create(&app, &access.for_writing(), body.into()).await?;
    let location = json::url(&made, &access.repo, access.urls());
    Ok(ApiResponse::created(&Reference::new(&made, &access.repo, access.urls()), location))
}

pub async fn update(
    access: Allowed<UpdateRef, RepoTarget>,
    app: App,
    Json(body): Json<UpdateRefBody>,
) -> Result<ApiResponse> {
    let name = name_to_change(&app, &access).await?;
    let moved = ref_updates::update(&app, &access.for_writing(), &name, &body.into()).await?;
    Ok(ApiResponse::ok(&Reference::new(&moved, &access.repo, access.urls())))
}

pub async fn delete(access: Allowed<DeleteRef, RepoTarget>, app: App) -> Result<ApiResponse> {
    let name = name_to_change(&app, &access).await?;
    ref_updates::delete(&app, &access.for_writing(), name).await?;
    Ok(ApiResponse::no_content())
}

/// The older list, in pages.
pub async fn list(access: Allowed<ListRefs, RepoTarget>, app: App) -> Result<ApiResponse> {
    let page = page::of(access.context());
    let mut db = app.read().await?;
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
    Ok(ApiResponse::ok(&list).with_link(page::link(page, access.context(), total)).with_last_modified(access.pushed_at))
}

/// The older form: the reference of exactly this name, or else all whose names begin with it.
pub async fn get_or_list(access: Allowed<GetRefOrPrefix, RepoTarget>, app: App) -> Result<ApiResponse> {
    if let Some(found) = find_named(&app, &access).await? {
        let reference = Reference::new(&found, &access.repo, access.urls());
        return Ok(ApiResponse::ok(&reference).with_last_modified(access.pushed_at));
    }
    let mut db = app.read().await?;
    let prefix = rules::prefix_at(ref_param(&access));
    let first = listing::first_batch(&mut db, &access.repo, prefix.as_deref()).await?;
    if first.is_empty() {
        check_not_empty(&mut db, access.repo.id).await?;
        return Err(Error::NotFound);
    }
    Ok(listing::respond(&app, &access.repo, access.urls(), prefix, first).with_last_modified(access.pushed_at))
}

fn ref_param<E: Endpoint>(access: &Allowed<E, RepoTarget>) -> &str {
    access.context().params.get("ref")
}

/// The ref of exactly the name in the path. One that is not valid cannot exist.
async fn find_named<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>) -> Result<Option<Ref>> {
    let Some(name) = rules::name_at(ref_param(access)) else { return Ok(None) };
    let (generations, repo) = (access.generations(), access.repo.id);
    if let Some(cached) = refs::find_cached(app, generations, repo, &name) {
        app.metrics.count_ref();
        return Ok(Some(cached));
    }
    // Boxed, because it is large and rarely needed.
    Box::pin(refs::find_and_cache(app, generations, repo, &name)).await
}

/// The name in the path. One that is not valid cannot exist.
async fn name_to_change<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>) -> Result<RefName> {
    if let Some(name) = rules::name_at(ref_param(access)) {
        return Ok(name);
    }
    check_not_empty(&mut app.read().await?, access.repo.id).await?;
    Err(rules::missing())
}
