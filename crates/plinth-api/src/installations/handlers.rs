//! Handlers of the operations on installations: first those of installation tokens and users, then those of apps, which
//! sign requests with their own key.

use super::body::CreateTokenBody;
use super::json::{self, Installations, Repositories};
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{
    AddInstallationRepository, CreateInstallationToken, DeleteAppInstallation, GetApp, GetAppInstallation,
    GetOrgInstallation, GetRepoInstallation, GetUserInstallation, ListAppInstallations, ListInstallationRepositories,
    ListUserInstallationRepositories, ListUserInstallations, RemoveInstallationRepository, RevokeInstallationToken,
    SuspendInstallation, UnsuspendInstallation,
};
use crate::repos::json::Repository;
use crate::request::body::Json;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use crate::wire::Word;
use plinth_base::error::{Error, Result};
use plinth_base::ids::InstallationId;
use plinth_core::access::NoTarget;
use plinth_core::installations::model::InstallationDetails;
use plinth_core::installations::store::{self, Private};
use plinth_core::installations::{InstallationRepo, OwnInstallation, UserInstallation, operations, rules};
use plinth_core::repos::store::count_open_issues;
use plinth_core::{accounts, apps};
use plinth_store::Dependency;

pub async fn list_repositories(
    access: Allowed<ListInstallationRepositories, NoTarget>,
    app: App,
) -> Result<ApiResponse> {
    let token = rules::installation_token(access.caller())?;
    let page = page::of(access.context());
    let mut db = app.read().await?;
    let total_count = store::send_count_of_repositories(&mut db, token.token).await?;
    let repos = store::list_repositories(&mut db, token.token, page).await?;
    let (total_count,) = db.row(total_count).await?;
    let open = count_open_issues(&mut db, repos.iter().map(|repo| repo.id)).await?;
    let shown = repos.iter().map(|repo| {
        let repository = Repository::new(repo, access.urls()).with_custom_properties();
        repository.with_open_issues(open.get(&repo.id).copied().unwrap_or_default())
    });
    let selection = rules::selection_of(token);
    let list = Repositories::new(total_count, selection, shown.collect());
    Ok(ApiResponse::ok(&list).with_link(page::link(page, access.context(), total_count)))
}

pub async fn revoke_token(access: Allowed<RevokeInstallationToken, NoTarget>, app: App) -> Result<ApiResponse> {
    operations::revoke_token(&app, &access.for_writing()).await?;
    Ok(ApiResponse::no_content())
}

pub async fn list_of_user(access: Allowed<ListUserInstallations, NoTarget>, app: App) -> Result<ApiResponse> {
    let (user, calling_app) = rules::app_user(access.caller())?;
    // Installations and who may see them are rights, and nothing else is shown.
    access.context().dependency.get_or_init(|| Dependency::Rights);
    let page = page::of(access.context());
    let mut db = app.read().await?;
    let total_count = store::send_count_of_user(&mut db, calling_app, user).await?;
    let shown = store::list_of_user(&mut db, calling_app, user, page).await?;
    let (total_count,) = db.row(total_count).await?;
    let list = Installations::new(total_count, &shown, access.urls());
    Ok(ApiResponse::ok(&list).with_link(page::link(page, access.context(), total_count)))
}

pub async fn list_repositories_of_user(
    access: Allowed<ListUserInstallationRepositories, UserInstallation>,
    app: App,
) -> Result<ApiResponse> {
    let installation = &access.target.0;
    let user = rules::user(access.caller())?;
    let private = if rules::sees_private(access.caller()) { Private::Shown } else { Private::LeftOut };
    let page = page::of(access.context());
    let mut db = app.read().await?;
    let total_count = store::send_count_of_repositories_of_user(&mut db, installation.id, user, private).await?;
    let found = store::list_repositories_of_user(&mut db, installation.id, user, private, page).await?;
    let (total_count,) = db.row(total_count).await?;
    let open = count_open_issues(&mut db, found.iter().map(|found| found.repo.id)).await?;
    let shown = found.iter().map(|found| {
        let repository = Repository::new(&found.repo, access.urls()).with_permissions(found.role);
        repository.with_open_issues(open.get(&found.repo.id).copied().unwrap_or_default())
    });
    let list = Repositories::new(total_count, installation.repository_selection, shown.collect());
    Ok(ApiResponse::ok(&list).with_link(page::link(page, access.context(), total_count)))
}

pub async fn add_repository(
    access: Allowed<AddInstallationRepository, InstallationRepo>,
    app: App,
) -> Result<ApiResponse> {
    operations::add_repository(&app, &access.for_writing()).await?;
    Ok(ApiResponse::no_content())
}

pub async fn remove_repository(
    access: Allowed<RemoveInstallationRepository, InstallationRepo>,
    app: App,
) -> Result<ApiResponse> {
    operations::remove_repository(&app, &access.for_writing()).await?;
    Ok(ApiResponse::no_content())
}

pub async fn get_app(access: Allowed<GetApp, NoTarget>, app: App) -> Result<ApiResponse> {
    let id = rules::app(access.caller())?;
    let mut db = app.read().await?;
    let found = apps::store::find(&mut db, id).await?.ok_or(Error::NotFound)?;
    let owner = accounts::store::find(&mut db, found.owner_id).await?.ok_or(Error::NotFound)?;
    let installations = store::count_of_app(&mut db, id).await?;
    Ok(ApiResponse::ok(&json::App::new(&found, &owner, installations, access.urls())))
}

pub async fn list_of_app(access: Allowed<ListAppInstallations, NoTarget>, app: App) -> Result<ApiResponse> {
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
    let shown = find_details(app, access.target.0.id).await?;
    Ok(ApiResponse::ok(&json::Installation::new(&shown, access.urls())))
}

async fn find_details(app: &App, id: InstallationId) -> Result<InstallationDetails> {
    store::find_details(&mut app.read().await?, id).await?.ok_or(Error::NotFound)
}

pub async fn suspend(access: Allowed<SuspendInstallation, OwnInstallation>, app: App) -> Result<ApiResponse> {
    operations::suspend(&app, &access.for_writing()).await?;
    Ok(ApiResponse::no_content())
}

pub async fn unsuspend(access: Allowed<UnsuspendInstallation, OwnInstallation>, app: App) -> Result<ApiResponse> {
    operations::unsuspend(&app, &access.for_writing()).await?;
    Ok(ApiResponse::no_content())
}

pub async fn delete(access: Allowed<DeleteAppInstallation, OwnInstallation>, app: App) -> Result<ApiResponse> {
    operations::delete(&app, &access.for_writing()).await?;
    Ok(ApiResponse::no_content())
}

/// A suspended installation is rejected before the body is read.
pub async fn create_access_token(
    access: Allowed<CreateInstallationToken, OwnInstallation>,
    app: App,
    body: Result<Json<CreateTokenBody>>,
) -> Result<ApiResponse> {
    rules::check_not_suspended(&access.target.0)?;
    let Json(body) = body?;
    let made = operations::create_access_token(&app, &access.for_writing(), body.into()).await?;
    Ok(ApiResponse::created_without_url(&json::AccessToken {
        token: made.secret.reveal(),
        expires_at: made.expires_at,
        permissions: &made.permissions,
        repository_selection: Word(made.selection.mode()),
        repositories: made
            .narrowed_to
            .as_ref()
            .map(|repos| repos.iter().map(|repo| Repository::new(repo, access.urls())).collect()),
    })
    .without_storing())
}
