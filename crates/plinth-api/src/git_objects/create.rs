//! Steps of the operations that make objects.

use super::handlers::{Depth, find_tree};
use super::json;
use crate::app::App;
use crate::policy::table::{CreateBlob, CreateCommit, CreateTag, CreateTree};
use crate::request::Allowed;
use crate::request::body::Json;
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::ObjectKind;
use plinth_core::git_objects::{self, NewBlob, NewCommit, NewTag, NewTree};
use plinth_core::repos::RepoTarget;

pub async fn blob(access: Allowed<CreateBlob, RepoTarget>, app: App, Json(new): Json<NewBlob>) -> Result<ApiResponse> {
    let sha = git_objects::create_blob(&app, &access.for_writing(), new).await?;
    let named = json::Named::new(ObjectKind::Blob, sha, &access.repo, access.urls());
    Ok(ApiResponse::created(&named, json::url(ObjectKind::Blob, sha, &access.repo, access.urls())))
}

pub async fn tree(access: Allowed<CreateTree, RepoTarget>, app: App, Json(new): Json<NewTree>) -> Result<ApiResponse> {
    let sha = git_objects::create_tree(&app, &access.for_writing(), new).await?;
    let found = app.objects.read(access.repo.id, move |reader| find_tree(reader, sha, Depth::One)).await?;
    let found = found.ok_or_else(|| Error::internal("a tree just made is gone"))?;
    let location = json::url(ObjectKind::Tree, sha, &access.repo, access.urls());
    Ok(ApiResponse::created(&json::Tree::new(&found, &access.repo, access.urls()), location))
}

pub async fn commit(
    access: Allowed<CreateCommit, RepoTarget>,
    app: App,
    Json(new): Json<NewCommit>,
) -> Result<ApiResponse> {
    let (sha, made) = git_objects::create_commit(&app, &access.for_writing(), new).await?;
    let location = json::url(ObjectKind::Commit, sha, &access.repo, access.urls());
    Ok(ApiResponse::created(&json::Commit::new(sha, &made, &access.repo, access.urls()), location))
}

pub async fn tag(access: Allowed<CreateTag, RepoTarget>, app: App, Json(new): Json<NewTag>) -> Result<ApiResponse> {
    let (sha, made) = git_objects::create_tag(&app, &access.for_writing(), new).await?;
    let location = json::url(ObjectKind::Tag, sha, &access.repo, access.urls());
    Ok(ApiResponse::created(&json::Tag::new(sha, &made, &access.repo, access.urls()), location))
}
