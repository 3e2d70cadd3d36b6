//! Uploads of files, written to the store chunk by chunk while they come.

use axum::body::Body;
use bytes::BytesMut;
use futures_util::StreamExt;
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};

use super::download::MEDIA;
use super::handlers::{find, id};
use super::json::Asset;
use crate::app::App;
use crate::policy::table::UploadReleaseAsset;
use crate::request::Allowed;
use crate::request::context::RequestContext;
use crate::request::request_body::RequestBody;
use crate::request::response_memory;
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_core::releases::assets::{CHUNK_BYTES, Digest, NewAsset, Upload};
use plinth_core::repos::RepoTarget;

/// Chunks of one upload that are in memory: the one that comes, and the one that is written.
const CHUNKS_IN_MEMORY: usize = 2;

pub async fn upload(
    access: Allowed<UploadReleaseAsset, RepoTarget>,
    app: App,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiResponse> {
    let context = access.context();
    let release = find(&app, &access, id(&access)?).await?;
    let size_max = app.settings.release_asset_bytes_max;
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > size_max) {
        return Err(Error::BodyTooLarge(size_max));
    }
    let _permit = response_memory::acquire(&app, context, CHUNKS_IN_MEMORY * CHUNK_BYTES).await?;
    let mut upload = Upload::begin(&app, &access.for_writing(), release.id, new_asset(context, &headers)).await?;
    let body = RequestBody::wrap(body, context.permit.clone(), app.settings.git.idle_timeout);
    let asset = match receive(&mut upload, body, size_max).await {
        Ok(digest) => upload.finish(digest).await?,
        Err(error) => {
            // Without this, the maintenance removes it later.
            let _ = upload.cancel().await;
            return Err(error);
        }
    };
    let (repo, urls) = (&access.repo, access.urls());
    let location = urls.release_asset(&repo.owner_login, &repo.name, asset.id);
    Ok(ApiResponse::created(&Asset::new(&asset, &release, repo, urls), location))
}

fn new_asset(context: &RequestContext, headers: &HeaderMap) -> NewAsset {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    NewAsset {
        name: context.query("name").unwrap_or_default().into_owned(),
        label: context.query("label").map(|label| label.into_owned()),
        content_type: content_type.filter(|text| !text.is_empty()).unwrap_or(MEDIA).to_owned(),
    }
}

/// Stores a body, and returns its digest.
async fn receive(upload: &mut Upload, body: Body, size_max: usize) -> Result<String> {
    let mut pieces = body.into_data_stream();
    let mut digest = Digest::default();
    let mut waiting = BytesMut::with_capacity(CHUNK_BYTES);
    let mut size = 0;
    while let Some(piece) = pieces.next().await {
        let mut piece = piece.map_err(unreadable)?;
        size += piece.len();
        if size > size_max {
            return Err(Error::BodyTooLarge(size_max));
        }
        digest.update(&piece);
        while !piece.is_empty() {
            let part = piece.split_to(piece.len().min(CHUNK_BYTES - waiting.len()));
            waiting.extend_from_slice(&part);
            if waiting.len() == CHUNK_BYTES {
                upload.add(waiting.split().freeze()).await?;
                waiting.reserve(CHUNK_BYTES);
            }
        }
    }
    if !waiting.is_empty() {
        upload.add(waiting.freeze()).await?;
    }
    Ok(digest.finish())
}

fn unreadable(error: axum::Error) -> Error {
    if RequestBody::is_too_slow(&error) {
        return Error::Unavailable("the request body came too slowly".into());
    }
    Error::BadRequest("The request body could not be read".into())
}
