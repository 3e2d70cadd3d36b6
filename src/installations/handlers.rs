//! Steps of the operations on installations by their tokens and their users.

use super::json::{Installations, Repositories};
use super::store::{self, Private};
use super::target::{InstallationRepo, UserInstallation};
use super::{rules, selection};
use crate::api::access::table::{
    AddInstallationRepository, ListInstallationRepositories, ListUserInstallationRepositories, ListUserInstallations,
    RemoveInstallationRepository, RevokeInstallationToken,
};
use crate::api::access::{Allowed, NoTarget};
use crate::api::page::Page;
use crate::api::reply::Reply;
use crate::app::App;
use crate::error::Result;
use crate::repos::json::Repository;

pub async fn list_repositories(access: Allowed<ListInstallationRepositories, NoTarget>, app: App) -> Result<Reply> {
    let token = rules::installation_token(access.caller())?;
    let page = Page::of(access.exchange());
    let mut db = app.store.read().await?;
    let total_count = store::count_repositories(&mut db, token.token).await?;
    let repos = store::list_repositories(&mut db, token.token, page).await?;
    let show = |repo| Repository::new(repo, access.urls()).with_custom_properties();
    let selection = rules::selection_of(token);
    let list = Repositories::new(total_count, selection, repos.iter().map(show).collect());
    Ok(Reply::ok(&list).with_link(page.link(access.exchange(), total_count)))
}

pub async fn revoke_token(access: Allowed<RevokeInstallationToken, NoTarget>, app: App) -> Result<Reply> {
    let token = rules::installation_token(access.caller())?.token;
    let context = (token, app.clock.now());
    access.write(&app.store, context, |tx, (token, now)| Box::pin(selection::revoke(tx, *token, *now))).await?;
    Ok(Reply::no_content())
}

pub async fn list_of_user(access: Allowed<ListUserInstallations, NoTarget>, app: App) -> Result<Reply> {
    let (user, calling_app) = rules::app_user(access.caller())?;
    let page = Page::of(access.exchange());
    let mut db = app.store.read().await?;
    let total_count = store::count_of_user(&mut db, calling_app, user).await?;
    let shown = store::list_of_user(&mut db, calling_app, user, page).await?;
    let list = Installations::new(total_count, &shown, access.urls());
    Ok(Reply::ok(&list).with_link(page.link(access.exchange(), total_count)))
}

pub async fn list_repositories_of_user(
    access: Allowed<ListUserInstallationRepositories, UserInstallation>,
    app: App,
) -> Result<Reply> {
    let installation = &access.target.0;
    let user = rules::user(access.caller())?;
    let private = if rules::sees_private(access.caller()) { Private::Shown } else { Private::LeftOut };
    let page = Page::of(access.exchange());
    let mut db = app.store.read().await?;
    let total_count = store::count_repositories_of_user(&mut db, installation.id, user, private).await?;
    let found = store::list_repositories_of_user(&mut db, installation.id, user, private, page).await?;
    let shown = found.iter().map(|found| Repository::new(&found.repo, access.urls()).with_permissions(found.role));
    let list = Repositories::new(total_count, installation.repository_selection, shown.collect());
    Ok(Reply::ok(&list).with_link(page.link(access.exchange(), total_count)))
}

pub async fn add_repository(access: Allowed<AddInstallationRepository, InstallationRepo>, app: App) -> Result<Reply> {
    let work = access.write_current(&app.store, app.clock.now(), |tx, current, now| {
        Box::pin(selection::add(tx, &current.target, *now))
    });
    work.await?;
    Ok(Reply::no_content())
}

pub async fn remove_repository(
    access: Allowed<RemoveInstallationRepository, InstallationRepo>,
    app: App,
) -> Result<Reply> {
    let work = access.write_current(&app.store, app.clock.now(), |tx, current, now| {
        Box::pin(selection::remove(tx, &current.target, *now))
    });
    work.await?;
    Ok(Reply::no_content())
}
