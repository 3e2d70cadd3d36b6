//! Steps of the operations that an app signs with its own key.

use super::json;
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{
    CreateInstallationToken, DeleteAppInstallation, GetApp, GetAppInstallation, GetOrgInstallation,
    GetRepoInstallation, GetUserInstallation, ListAppInstallations, SuspendInstallation, UnsuspendInstallation,
};
use crate::repos::json::Repository;
use crate::request::body::Json;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::ids::InstallationId;
use plinth_core::access::NoTarget;
use plinth_core::installations::model::InstallationDetails;
use plinth_core::installations::{NewAccessToken, OwnInstallation, operations, rules, store};
use plinth_core::{accounts, apps};

pub async fn get(access: Allowed<GetApp, NoTarget>, app: App) -> Result<ApiResponse> {
    let id = rules::app(access.caller())?;
    let mut db = app.read().await?;
    let found = apps::store::find(&mut db, id).await?.ok_or(Error::NotFound)?;
    let owner = accounts::store::find(&mut db, found.owner_id).await?.ok_or(Error::NotFound)?;
    let installations = store::count_of_app(&mut db, id).await?;
    Ok(ApiResponse::ok(&json::App::new(&found, &owner, installations, access.urls())))
}

pub async fn list(access: Allowed<ListAppInstallations, NoTarget>, app: App) -> Result<ApiResponse> {
    let id = rules::app(access.caller())?;
    let page = page::of(access.context());
    let mut db = app.read().await?;
    let total = store::count_of_app(&mut db, id).await?;
    let shown = store::list_of_app(&mut db, id, page).await?;
    let list: Vec<_> = shown.iter().map(|shown| json::Installation::new(shown, access.urls())).collect();
    Ok(ApiResponse::ok(&list).with_link(page::link(page, access.context(), total)))
}

pub async fn get_installation(access: Allowed<GetAppInstallation, OwnInstallation>, app: App) -> Result<ApiResponse> {
    show(&access, &app).await
}

pub async fn get_of_repo(access: Allowed<GetRepoInstallation, OwnInstallation>, app: App) -> Result<ApiResponse> {
    show(&access, &app).await
}

pub async fn get_of_org(access: Allowed<GetOrgInstallation, OwnInstallation>, app: App) -> Result<ApiResponse> {
    show(&access, &app).await
}

pub async fn get_of_user(access: Allowed<GetUserInstallation, OwnInstallation>, app: App) -> Result<ApiResponse> {
    show(&access, &app).await
}

async fn show<E: Endpoint>(access: &Allowed<E, OwnInstallation>, app: &App) -> Result<ApiResponse> {
    let shown = find_shown(app, access.target.0.id).await?;
    Ok(ApiResponse::ok(&json::Installation::new(&shown, access.urls())))
}

async fn find_shown(app: &App, id: InstallationId) -> Result<InstallationDetails> {
    store::find_details(&mut app.read().await?, id).await?.ok_or(Error::NotFound)
}

pub async fn suspend(access: Allowed<SuspendInstallation, OwnInstallation>, app: App) -> Result<ApiResponse> {
    operations::suspend(&app, &access.for_writing()).await?;
    Ok(ApiResponse::no_content())
}

pub async fn unsuspend(access: Allowed<UnsuspendInstallation, OwnInstallation>) -> Result<ApiResponse> {
    operations::unsuspend(&access.for_writing()).await?;
    Ok(ApiResponse::no_content())
}

pub async fn delete(access: Allowed<DeleteAppInstallation, OwnInstallation>) -> Result<ApiResponse> {
    operations::delete(&access.for_writing()).await?;
    Ok(ApiResponse::no_content())
}

/// A suspended installation is rejected before the body is read.
pub async fn create_access_token(
    access: Allowed<CreateInstallationToken, OwnInstallation>,
    app: App,
    asked: Result<Json<NewAccessToken>>,
) -> Result<ApiResponse> {
    rules::check_not_suspended(&access.target.0)?;
    let Json(asked) = asked?;
    let made = operations::create_access_token(&app, &access.for_writing(), asked).await?;
    Ok(ApiResponse::created_without_url(&json::AccessToken {
        token: made.secret.reveal(),
        expires_at: made.expires_at,
        permissions: &made.permissions,
        repository_selection: made.selection.mode().as_str(),
        repositories: made
            .narrowed_to
            .as_ref()
            .map(|repos| repos.iter().map(|repo| Repository::new(repo, access.urls())).collect()),
    })
    .without_storing())
}
