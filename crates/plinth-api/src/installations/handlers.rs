//! Steps of the operations on installations by their tokens and their users.

use super::json::{Installations, Repositories};
use crate::app::App;
use crate::policy::table::{
    AddInstallationRepository, ListInstallationRepositories, ListUserInstallationRepositories, ListUserInstallations,
    RemoveInstallationRepository, RevokeInstallationToken,
};
use crate::repos::json::Repository;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::Result;
use plinth_core::access::NoTarget;
use plinth_core::installations::store::{self, Private};
use plinth_core::installations::{InstallationRepo, UserInstallation, operations, rules};

pub async fn list_repositories(
    access: Allowed<ListInstallationRepositories, NoTarget>,
    app: App,
) -> Result<ApiResponse> {
    let token = rules::installation_token(access.caller())?;
    let page = page::of(access.context());
    let mut db = app.read().await?;
    let total_count = store::count_repositories(&mut db, token.token).await?;
    let repos = store::list_repositories(&mut db, token.token, page).await?;
    let show = |repo| Repository::new(repo, access.urls()).with_custom_properties();
    let selection = rules::selection_of(token);
    let list = Repositories::new(total_count, selection, repos.iter().map(show).collect());
    Ok(ApiResponse::ok(&list).with_link(page::link(page, access.context(), total_count)))
}

pub async fn revoke_token(access: Allowed<RevokeInstallationToken, NoTarget>, app: App) -> Result<ApiResponse> {
    operations::revoke_token(&app, &access.for_writing()).await?;
    Ok(ApiResponse::no_content())
}

pub async fn list_of_user(access: Allowed<ListUserInstallations, NoTarget>, app: App) -> Result<ApiResponse> {
    let (user, calling_app) = rules::app_user(access.caller())?;
    let page = page::of(access.context());
    let mut db = app.read().await?;
    let total_count = store::count_of_user(&mut db, calling_app, user).await?;
    let shown = store::list_of_user(&mut db, calling_app, user, page).await?;
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
    let total_count = store::count_repositories_of_user(&mut db, installation.id, user, private).await?;
    let found = store::list_repositories_of_user(&mut db, installation.id, user, private, page).await?;
    let shown = found.iter().map(|found| Repository::new(&found.repo, access.urls()).with_permissions(found.role));
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
