//! Steps of the operations on profiles.

use super::json::{Organization, Profile, ShowEmail};
use crate::app::App;
use crate::policy::table::{GetAuthenticatedUser, GetOrg, GetUser};
use crate::request::Allowed;
use crate::response::api_response::ApiResponse;
use plinth_base::error::Result;
use plinth_core::access::{Org, OwnAccount, User};
use plinth_core::repos;

pub async fn get_own(access: Allowed<GetAuthenticatedUser, OwnAccount>, app: App) -> Result<ApiResponse> {
    let account = &access.target.0;
    let public_repos = repos::store::count_public(&mut app.read().await?, account.id).await?;
    let profile = Profile::new(account, public_repos, ShowEmail::Yes, access.urls());
    Ok(ApiResponse::ok(&profile).with_last_modified(Some(account.updated_at)))
}

pub async fn get_user(access: Allowed<GetUser, User>, app: App) -> Result<ApiResponse> {
    let account = &access.target.0;
    let public_repos = repos::store::count_public(&mut app.read().await?, account.id).await?;
    let profile = Profile::new(account, public_repos, ShowEmail::No, access.urls());
    Ok(ApiResponse::ok(&profile).with_last_modified(Some(account.updated_at)))
}

pub async fn get_org(access: Allowed<GetOrg, Org>, app: App) -> Result<ApiResponse> {
    let account = &access.target.0;
    let public_repos = repos::store::count_public(&mut app.read().await?, account.id).await?;
    let organization = Organization::new(account, public_repos, access.urls());
    Ok(ApiResponse::ok(&organization).with_last_modified(Some(account.updated_at)))
}
