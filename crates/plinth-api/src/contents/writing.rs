//! Handlers of the operations that change files.

use axum::body::Body;

use super::body::{DeleteFileBody, WriteFileBody, add_query};
use super::find;
use super::json::{At, FileCommit, Item};
use crate::app::App;
use crate::git_objects::json::Commit;
use crate::policy::Endpoint;
use crate::policy::table::{DeleteFile, WriteFile};
use crate::request::Allowed;
use crate::request::body::{BYTES_MAX, Json, collect, parse_object};
use crate::request::shape;
use crate::response::api_response::ApiResponse;
use plinth_base::error::Result;
use plinth_core::contents::{self, Changed};
use plinth_core::repos::RepoTarget;

pub async fn write(
    access: Allowed<WriteFile, RepoTarget>,
    app: App,
    Json(body): Json<WriteFileBody>,
) -> Result<ApiResponse> {
    let path = access.context().params.get("path");
    let changed = contents::change(&app, &access.for_writing(), body.into_commit(path.to_owned())).await?;
    Ok(shown(&access, &changed))
}

pub async fn delete(access: Allowed<DeleteFile, RepoTarget>, app: App, body: Body) -> Result<ApiResponse> {
    let context = access.context();
    let mut object = parse_object(&collect(body, BYTES_MAX).await?)?;
    add_query(&mut object, context);
    let body: DeleteFileBody = shape::read(&object)?;
    let commit = body.into_commit(context.params.get("path").to_owned());
    let changed = contents::change(&app, &access.for_writing(), commit).await?;
    Ok(shown(&access, &changed))
}

fn shown<E: Endpoint>(access: &Allowed<E, RepoTarget>, changed: &Changed) -> ApiResponse {
    let (repo, urls) = (&access.repo, access.urls());
    let path = access.context().params.get("path");
    let item = changed.file.as_ref().map(|file| find::Item {
        path: path.to_owned(),
        mode: file.mode,
        sha: file.sha,
        size: file.size,
    });
    let at = At { reference: &changed.branch, repo, urls };
    let shown = FileCommit {
        content: item.as_ref().map(|item| Item::new(item, at)),
        commit: Commit::new(changed.sha, &changed.commit, repo, urls),
    };
    match &shown.content {
        Some(content) if changed.created => ApiResponse::created(&shown, content.url()),
        Some(_) | None => ApiResponse::ok(&shown),
    }
}
