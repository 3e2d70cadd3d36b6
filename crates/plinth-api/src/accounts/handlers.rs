//! Handlers of the operations on users and organizations.

use super::json::{self, Organization, Profile, ShowEmail, SimpleOrganization};
use crate::app::App;
use crate::policy::table::{
    CheckOrgMember, GetAuthenticatedUser, GetOrg, GetUser, ListOrgMembers, ListOwnOrgs, ListUserOrgs,
};
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_core::access::{Kind, Kinds, Org, OwnAccount, User};
use plinth_core::accounts::{OrgRole, store};
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

/// A token without scopes is for chosen repositories, so it does not show where its user is a member.
pub async fn list_own_orgs(access: Allowed<ListOwnOrgs, OwnAccount>, app: App) -> Result<ApiResponse> {
    if !Kinds::SCOPED.contains(Kind::of(access.caller())) {
        return Ok(ApiResponse::ok(&[(); 0]));
    }
    let (page, user) = (page::of(access.context()), access.target.0.id);
    let mut db = app.read().await?;
    let total = store::count_orgs_of(&mut db, user).await?;
    let found = store::list_orgs_of(&mut db, user, page).await?;
    let shown: Vec<_> = found.iter().map(|account| SimpleOrganization::new(account, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, access.context(), total)))
}

/// Shows public memberships only, and there are none: members are visible to each other.
pub async fn list_user_orgs(_: Allowed<ListUserOrgs, User>) -> Result<ApiResponse> {
    Ok(ApiResponse::ok(&[(); 0]))
}

pub async fn list_members(access: Allowed<ListOrgMembers, Org>, app: App) -> Result<ApiResponse> {
    let context = access.context();
    let role = match context.query("role").as_deref() {
        Some("admin") => Some(OrgRole::Admin),
        Some("member") => Some(OrgRole::Member),
        _ => None,
    };
    let (page, org) = (page::of(context), access.target.0.id);
    let mut db = app.read().await?;
    let total = store::count_members(&mut db, org, role).await?;
    let found = store::list_members(&mut db, org, role, page).await?;
    let shown: Vec<_> = found.iter().map(|account| json::User::new(account, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

pub async fn check_member(access: Allowed<CheckOrgMember, Org>, app: App) -> Result<ApiResponse> {
    let mut db = app.read().await?;
    let found = store::find_by_login(&mut db, access.context().params.get("username")).await?;
    let user = found.ok_or(Error::NotFound)?.id;
    let role = store::find_membership(&mut db, access.target.0.id, user).await?;
    role.map(|_| ApiResponse::no_content()).ok_or(Error::NotFound)
}
