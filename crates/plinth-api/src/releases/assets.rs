//! Handlers of the operations on files of releases.

use http::HeaderMap;
use http::header::ACCEPT;

use super::body::UpdateAssetBody;
use super::download;
use super::handlers::{find, id};
use super::json::Asset;
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{
    DeleteReleaseAsset, DownloadReleaseAsset, GetReleaseAsset, ListReleaseAssets, UpdateReleaseAsset,
};
use crate::request::body::Json;
use crate::request::handler::HandlerResponse;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::AssetId;
use plinth_core::releases::assets::{self, store};
use plinth_core::releases::{self, Release};
use plinth_core::repos::RepoTarget;

pub async fn list(access: Allowed<ListReleaseAssets, RepoTarget>, app: App) -> Result<ApiResponse> {
    let context = access.context();
    let release = find(&app, &access, id(&access)?).await?;
    let page = page::of(context);
    let mut db = app.read().await?;
    let total = store::count(&mut db, release.id).await?;
    let found = store::list(&mut db, release.id, page).await?;
    drop(db);
    let shown: Vec<_> = found.iter().map(|asset| Asset::new(asset, &release, &access.repo, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

/// As JSON, or the bytes where `Accept` asks for them.
pub async fn get(
    access: Allowed<GetReleaseAsset, RepoTarget>,
    app: App,
    headers: HeaderMap,
) -> Result<HandlerResponse> {
    let (release, asset) = find_asset(&app, &access).await?;
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    if accepted.flat_map(|list| list.split([',', ';'])).any(|media| media.trim() == download::MEDIA) {
        return Ok(download::stream(&app, access.context(), &asset).await?.into());
    }
    Ok(ApiResponse::ok(&Asset::new(&asset, &release, &access.repo, access.urls())).into())
}

pub async fn update(
    access: Allowed<UpdateReleaseAsset, RepoTarget>,
    app: App,
    Json(body): Json<UpdateAssetBody>,
) -> Result<ApiResponse> {
    let (release, asset) = find_asset(&app, &access).await?;
    let asset = assets::update(&app, &access.for_writing(), asset.id, body.into()).await?;
    Ok(ApiResponse::ok(&Asset::new(&asset, &release, &access.repo, access.urls())))
}

pub async fn delete(access: Allowed<DeleteReleaseAsset, RepoTarget>) -> Result<ApiResponse> {
    assets::delete(&access.for_writing(), asset_id(&access)?).await?;
    Ok(ApiResponse::no_content())
}

/// The bytes of a file of a published release, by its tag and its name.
pub async fn download(access: Allowed<DownloadReleaseAsset, RepoTarget>, app: App) -> Result<HandlerResponse> {
    let (tag, name) = access.context().params.get("file").rsplit_once('/').ok_or(Error::NotFound)?;
    let mut db = app.read().await?;
    let release = releases::store::find_by_tag(&mut db, access.repo.id, tag).await?.ok_or(Error::NotFound)?;
    let asset = store::find_by_name(&mut db, release.id, name).await?.ok_or(Error::NotFound)?;
    drop(db);
    Ok(download::stream(&app, access.context(), &asset).await?.into())
}

fn asset_id<E: Endpoint>(access: &Allowed<E, RepoTarget>) -> Result<AssetId> {
    access.context().params.number("asset_id").map(AssetId).ok_or(Error::NotFound)
}

/// The file that the path names, and its release, if the caller may see that.
async fn find_asset<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>) -> Result<(Release, releases::Asset)> {
    let found = store::find(&mut app.read().await?, access.repo.id, asset_id(access)?).await?;
    let asset = found.ok_or(Error::NotFound)?;
    Ok((find(app, access, asset.release_id).await?, asset))
}
