//! Releases and their files.

mod assets;
pub mod body;
mod download;
mod handlers;
pub mod json;
mod upload;

use crate::policy::table::{
    CreateRelease, DeleteRelease, DeleteReleaseAsset, DownloadReleaseAsset, GenerateReleaseNotes, GetLatestRelease,
    GetRelease, GetReleaseAsset, GetReleaseByTag, ListReleaseAssets, ListReleases, UpdateRelease, UpdateReleaseAsset,
    UploadReleaseAsset,
};
use crate::routes::Routes;

pub fn routes() -> Routes {
    Routes::default()
        .on::<ListReleases, _, _>(handlers::list)
        .on::<CreateRelease, _, _>(handlers::create)
        .on::<GenerateReleaseNotes, _, _>(handlers::generate_notes)
        .on::<GetLatestRelease, _, _>(handlers::get_latest)
        .on::<GetReleaseByTag, _, _>(handlers::get_by_tag)
        .on::<GetRelease, _, _>(handlers::get)
        .on::<UpdateRelease, _, _>(handlers::update)
        .on::<DeleteRelease, _, _>(handlers::delete)
        .on::<ListReleaseAssets, _, _>(assets::list)
        .on::<UploadReleaseAsset, _, _>(upload::upload)
        .on::<GetReleaseAsset, _, _>(assets::get)
        .on::<UpdateReleaseAsset, _, _>(assets::update)
        .on::<DeleteReleaseAsset, _, _>(assets::delete)
        .on::<DownloadReleaseAsset, _, _>(assets::download)
}
