//! Steps of the operations on profiles.

use crate::accounts::json::{Organization, Profile, ShowEmail};
use crate::api::access::table::{GetAuthenticatedUser, GetOrg, GetUser};
use crate::api::access::{Allowed, Org, OwnAccount, User};
use crate::api::reply::Reply;
use crate::app::App;
use crate::error::Result;
use crate::repos;

pub async fn get_own(access: Allowed<GetAuthenticatedUser, OwnAccount>, app: App) -> Result<Reply> {
    let account = &access.target.0;
    let public_repos = repos::store::count_public(&mut app.store.read().await?, account.id).await?;
    let profile = Profile::new(account, public_repos, ShowEmail::Yes, access.urls());
    Ok(Reply::ok(&profile).with_last_modified(Some(account.updated_at)))
}

pub async fn get_user(access: Allowed<GetUser, User>, app: App) -> Result<Reply> {
    let account = &access.target.0;
    let public_repos = repos::store::count_public(&mut app.store.read().await?, account.id).await?;
    let profile = Profile::new(account, public_repos, ShowEmail::No, access.urls());
    Ok(Reply::ok(&profile).with_last_modified(Some(account.updated_at)))
}

pub async fn get_org(access: Allowed<GetOrg, Org>, app: App) -> Result<Reply> {
    let account = &access.target.0;
    let public_repos = repos::store::count_public(&mut app.store.read().await?, account.id).await?;
    let organization = Organization::new(account, public_repos, access.urls());
    Ok(Reply::ok(&organization).with_last_modified(Some(account.updated_at)))
}
