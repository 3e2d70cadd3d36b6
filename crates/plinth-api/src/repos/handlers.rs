//! Handlers of the operations on repositories.

use super::body::{CreateRepoBody, UpdateRepoBody};
use super::json::Repository;
use crate::app::App;
use crate::policy::table::{CreateOrgRepo, CreateOwnRepo, DeleteRepo, GetRepo, UpdateRepo};
use crate::request::Allowed;
use crate::request::body::Json;
use crate::response::api_response::ApiResponse;
use plinth_base::error::Result;
use plinth_base::urls::Urls;
use plinth_core::access::Role;
use plinth_core::access::{Org, OwnAccount};
use plinth_core::repo_creation;
use plinth_core::repos::RepoTarget;
use plinth_core::repos::RepoWithRole;
use plinth_core::repos::{operations, store};
use plinth_core::tokens::Principal;

pub async fn get(access: Allowed<GetRepo, RepoTarget>, app: App) -> Result<ApiResponse> {
    let id = access.repo.id;
    let open = store::count_open_issues(&mut app.read().await?, std::iter::once(id)).await?;
    let mut repository = Repository::new(&access.repo, access.urls())
        .with_open_issues(open.get(&id).copied().unwrap_or_default())
        .with_organization(&access.repo, access.urls());
    if !matches!(access.caller(), Principal::Anonymous) {
        let everyone = (!access.private).then_some(Role::Read);
        repository = repository.with_permissions(access.role.max(everyone));
    }
    let changed = access.pushed_at.max(Some(access.updated_at));
    Ok(ApiResponse::ok(&repository).with_last_modified(changed))
}

pub async fn create_own(
    access: Allowed<CreateOwnRepo, OwnAccount>,
    app: App,
    Json(body): Json<CreateRepoBody>,
) -> Result<ApiResponse> {
    let found = repo_creation::create(&app, &access.for_writing(), access.target.0.id, body.into()).await?;
    Ok(created(&found, access.urls()))
}

pub async fn create_in_org(
    access: Allowed<CreateOrgRepo, Org>,
    app: App,
    Json(body): Json<CreateRepoBody>,
) -> Result<ApiResponse> {
    let found = repo_creation::create(&app, &access.for_writing(), access.target.0.id, body.into()).await?;
    Ok(created(&found, access.urls()))
}

pub async fn delete(access: Allowed<DeleteRepo, RepoTarget>, app: App) -> Result<ApiResponse> {
    operations::delete(&app, &access.for_writing()).await?;
    Ok(ApiResponse::no_content())
}

pub async fn update(
    access: Allowed<UpdateRepo, RepoTarget>,
    app: App,
    Json(body): Json<UpdateRepoBody>,
) -> Result<ApiResponse> {
    let found = operations::edit(&app, &access.for_writing(), body.into()).await?;
    let id = found.repo.id;
    let open = store::count_open_issues(&mut app.read().await?, std::iter::once(id)).await?;
    let repository = Repository::new(&found.repo, access.urls())
        .with_open_issues(open.get(&id).copied().unwrap_or_default())
        .with_organization(&found.repo, access.urls())
        .with_permissions(found.role);
    Ok(ApiResponse::ok(&repository))
}

fn created(found: &RepoWithRole, urls: &Urls) -> ApiResponse {
    let repository =
        Repository::new(&found.repo, urls).with_permissions(found.role).with_organization(&found.repo, urls);
    ApiResponse::created(&repository, urls.repo(&found.repo.owner_login, &found.repo.name))
}
