//! Steps of the operations that an app signs with its own key.

use super::json;
use super::model::Shown;
use super::target::OwnInstallation;
use super::{rules, store};
use crate::accounts;
use crate::api::access::table::{
    DeleteAppInstallation, GetApp, GetAppInstallation, GetOrgInstallation, GetRepoInstallation, GetUserInstallation,
    ListAppInstallations, SuspendInstallation, UnsuspendInstallation,
};
use crate::api::access::{Allowed, Endpoint, NoTarget};
use crate::api::page::Page;
use crate::api::reply::Reply;
use crate::app::App;
use crate::apps;
use crate::error::{Error, Result};
use crate::ids::InstallationId;

pub async fn get(access: Allowed<GetApp, NoTarget>, app: App) -> Result<Reply> {
    let id = rules::app(access.caller())?;
    let mut db = app.store.read().await?;
    let found = apps::store::find(&mut db, id).await?.ok_or(Error::NotFound)?;
    let owner = accounts::store::find(&mut db, found.owner_id).await?.ok_or(Error::NotFound)?;
    let installations = store::count_of_app(&mut db, id).await?;
    Ok(Reply::ok(&json::App::new(&found, &owner, installations, access.urls())))
}

pub async fn list(access: Allowed<ListAppInstallations, NoTarget>, app: App) -> Result<Reply> {
    let id = rules::app(access.caller())?;
    let page = Page::of(access.exchange());
    let mut db = app.store.read().await?;
    let total = store::count_of_app(&mut db, id).await?;
    let shown = store::list_of_app(&mut db, id, page).await?;
    let list: Vec<_> = shown.iter().map(|shown| json::Installation::new(shown, access.urls())).collect();
    Ok(Reply::ok(&list).with_link(page.link(access.exchange(), total)))
}

pub async fn get_installation(access: Allowed<GetAppInstallation, OwnInstallation>, app: App) -> Result<Reply> {
    show(&access, &app).await
}

pub async fn get_of_repo(access: Allowed<GetRepoInstallation, OwnInstallation>, app: App) -> Result<Reply> {
    show(&access, &app).await
}

pub async fn get_of_org(access: Allowed<GetOrgInstallation, OwnInstallation>, app: App) -> Result<Reply> {
    show(&access, &app).await
}

pub async fn get_of_user(access: Allowed<GetUserInstallation, OwnInstallation>, app: App) -> Result<Reply> {
    show(&access, &app).await
}

async fn show<E: Endpoint>(access: &Allowed<E, OwnInstallation>, app: &App) -> Result<Reply> {
    let shown = find_shown(app, access.target.0.id).await?;
    Ok(Reply::ok(&json::Installation::new(&shown, access.urls())))
}

async fn find_shown(app: &App, id: InstallationId) -> Result<Shown> {
    store::find_shown(&mut app.store.read().await?, id).await?.ok_or(Error::NotFound)
}

pub async fn suspend(access: Allowed<SuspendInstallation, OwnInstallation>, app: App) -> Result<Reply> {
    access
        .write_current(&app.store, app.clock.now(), |tx, current, now| {
            Box::pin(async move {
                let OwnInstallation(installation) = &current.target;
                let bot = apps::store::find(tx, installation.app_id).await?.map(|app| app.bot_id);
                Ok(apps::store::update_suspension(tx, installation.id, Some(*now), bot).await?)
            })
        })
        .await?;
    Ok(Reply::no_content())
}

pub async fn unsuspend(access: Allowed<UnsuspendInstallation, OwnInstallation>, app: App) -> Result<Reply> {
    access
        .write_current(&app.store, (), |tx, current, ()| {
            Box::pin(async move {
                let OwnInstallation(installation) = &current.target;
                Ok(apps::store::update_suspension(tx, installation.id, None, None).await?)
            })
        })
        .await?;
    Ok(Reply::no_content())
}

pub async fn delete(access: Allowed<DeleteAppInstallation, OwnInstallation>, app: App) -> Result<Reply> {
    access
        .write_current(&app.store, (), |tx, current, ()| {
            Box::pin(async move {
                let OwnInstallation(installation) = &current.target;
                Ok(apps::store::delete_installation(tx, installation.id).await?)
            })
        })
        .await?;
    Ok(Reply::no_content())
}
