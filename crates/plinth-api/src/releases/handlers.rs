//! Handlers of the operations on releases.

use std::collections::HashMap;

use super::body::{CreateReleaseBody, GenerateNotesBody, UpdateReleaseBody};
use super::json::{Notes, Ready, Release};
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{
    CreateRelease, DeleteRelease, GenerateReleaseNotes, GetLatestRelease, GetRelease, GetReleaseByTag, ListReleases,
    UpdateRelease,
};
use crate::rendering::render;
use crate::request::body::Json;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::ReleaseId;
use plinth_core::releases::store::{self, Drafts};
use plinth_core::releases::{self, Asset, assets};
use plinth_core::repos::RepoTarget;

pub async fn list(access: Allowed<ListReleases, RepoTarget>, app: App) -> Result<ApiResponse> {
    let (context, repo) = (access.context(), access.repo.id);
    let (page, drafts) = (page::of(context), drafts(&access));
    let mut db = app.read().await?;
    let total = store::count(&mut db, repo, drafts).await?;
    let found = store::list(&mut db, repo, drafts, page).await?;
    drop(db);
    let ready = ready(&app, &access, found).await?;
    let shown: Vec<_> =
        ready.iter().map(|ready| Release::new(ready, context.media, &access.repo, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

pub async fn create(
    access: Allowed<CreateRelease, RepoTarget>,
    app: App,
    Json(body): Json<CreateReleaseBody>,
) -> Result<ApiResponse> {
    let new = body.into_release(repo_page(&access));
    let release = releases::create(&app, &access.for_writing(), new).await?;
    let location = access.urls().release(&access.repo.owner_login, &access.repo.name, release.id);
    let ready = ready_one(&app, &access, release).await?;
    Ok(ApiResponse::created(&shown(&access, &ready), location))
}

pub async fn generate_notes(
    access: Allowed<GenerateReleaseNotes, RepoTarget>,
    app: App,
    Json(body): Json<GenerateNotesBody>,
) -> Result<ApiResponse> {
    let request = body.into_request(repo_page(&access));
    let notes = releases::generate(&app, &access.repo, &request).await?;
    Ok(ApiResponse::ok(&Notes { name: &notes.name, body: &notes.body }))
}

pub async fn get_latest(access: Allowed<GetLatestRelease, RepoTarget>, app: App) -> Result<ApiResponse> {
    let found = store::find_latest(&mut app.read().await?, access.repo.id).await?;
    respond(&app, &access, found).await
}

pub async fn get_by_tag(access: Allowed<GetReleaseByTag, RepoTarget>, app: App) -> Result<ApiResponse> {
    let tag = access.context().params.get("tag");
    let found = store::find_by_tag(&mut app.read().await?, access.repo.id, tag).await?;
    respond(&app, &access, found).await
}

pub async fn get(access: Allowed<GetRelease, RepoTarget>, app: App) -> Result<ApiResponse> {
    let found = find(&app, &access, id(&access)?).await?;
    respond(&app, &access, Some(found)).await
}

pub async fn update(
    access: Allowed<UpdateRelease, RepoTarget>,
    app: App,
    Json(body): Json<UpdateReleaseBody>,
) -> Result<ApiResponse> {
    let release = releases::update(&app, &access.for_writing(), id(&access)?, body.into()).await?;
    respond(&app, &access, Some(release)).await
}

pub async fn delete(access: Allowed<DeleteRelease, RepoTarget>, app: App) -> Result<ApiResponse> {
    releases::delete(&app, &access.for_writing(), id(&access)?).await?;
    Ok(ApiResponse::no_content())
}

/// The release that the path names.
pub fn id<E: Endpoint>(access: &Allowed<E, RepoTarget>) -> Result<ReleaseId> {
    access.context().params.number("release_id").map(ReleaseId).ok_or(Error::NotFound)
}

/// A release that the caller may see.
pub async fn find<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>, id: ReleaseId) -> Result<releases::Release> {
    let found = store::find(&mut app.read().await?, access.repo.id, id).await?;
    found.filter(|release| !release.draft || drafts(access) == Drafts::Shown).ok_or(Error::NotFound)
}

/// Drafts are for those who may change them.
fn drafts<E: Endpoint>(access: &Allowed<E, RepoTarget>) -> Drafts {
    if access.may::<UpdateRelease>() { Drafts::Shown } else { Drafts::Hidden }
}

fn repo_page<E: Endpoint>(access: &Allowed<E, RepoTarget>) -> String {
    access.urls().repo_page(&access.repo.owner_login, &access.repo.name).to_string()
}

async fn respond<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    found: Option<releases::Release>,
) -> Result<ApiResponse> {
    let ready = ready_one(app, access, found.ok_or(Error::NotFound)?).await?;
    Ok(ApiResponse::ok(&shown(access, &ready)))
}

fn shown<'a, E: Endpoint>(access: &'a Allowed<E, RepoTarget>, ready: &'a Ready) -> Release<'a> {
    Release::new(ready, access.context().media, &access.repo, access.urls())
}

async fn ready_one<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    release: releases::Release,
) -> Result<Ready> {
    let ready = ready(app, access, vec![release]).await?;
    ready.into_iter().next().ok_or_else(|| Error::internal("a release got lost"))
}

/// Adds the files, and renders the texts where the media type needs that.
async fn ready<E: Endpoint>(
    app: &App,
    access: &Allowed<E, RepoTarget>,
    found: Vec<releases::Release>,
) -> Result<Vec<Ready>> {
    let ids = found.iter().map(|release| release.id);
    let mut assets: HashMap<ReleaseId, Vec<Asset>> = HashMap::new();
    for asset in assets::store::list_of(&mut app.read().await?, ids).await? {
        assets.entry(asset.release_id).or_default().push(asset);
    }
    let bodies = found.iter().map(|release| release.body.as_deref().unwrap_or_default());
    let rendered = render(app, access.context(), &access.repo, bodies).await?;
    let ready = found.into_iter().zip(rendered).map(|(release, rendered)| {
        let assets = assets.remove(&release.id).unwrap_or_default();
        Ready { release, assets, rendered }
    });
    Ok(ready.collect())
}
