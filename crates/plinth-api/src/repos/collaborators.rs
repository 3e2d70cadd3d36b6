//! Who has a role in a repository.

use schemars::JsonSchema;
use serde::Serialize;

use super::body::CollaboratorBody;
use super::json::Permissions;
use crate::accounts::json::{User, UserObject};
use crate::app::App;
use crate::policy::Endpoint;
use crate::policy::table::{
    AddCollaborator, CheckCollaborator, GetCollaboratorPermission, ListCollaborators, RemoveCollaborator,
};
use crate::request::body::Json;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};
use plinth_base::urls::Urls;
use plinth_core::access::Role;
use plinth_core::repos::lists::{self, Affiliation, UserWithRole};
use plinth_core::repos::{RepoTarget, operations};

/// A user with the role in a repository.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "collaborator")]
pub struct Collaborator<'a> {
    #[serde(flatten)]
    user: UserObject<'a>,
    permissions: Permissions,
    role_name: &'static str,
}

/// What a user may do in a repository.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "repository-collaborator-permission")]
pub struct CollaboratorPermission<'a> {
    /// `admin`, `write`, `read` or `none`: the nearest of these below the role.
    permission: &'static str,
    role_name: &'static str,
    user: Collaborator<'a>,
}

impl<'a> Collaborator<'a> {
    fn new(found: &'a UserWithRole, role: Option<Role>, urls: &'a Urls) -> Self {
        let user = &found.user;
        Self {
            user: UserObject::new(&User::from_parts(user.id, user.kind, &user.login, user.site_admin, urls)),
            permissions: Permissions::new(role),
            role_name: role.map_or("none", Role::as_str),
        }
    }
}

pub async fn list(access: Allowed<ListCollaborators, RepoTarget>, app: App) -> Result<ApiResponse> {
    let context = access.context();
    let affiliation = match context.query("affiliation").as_deref() {
        Some("direct") => Affiliation::Direct,
        Some("outside") => Affiliation::Outside,
        _ => Affiliation::All,
    };
    let page = page::of(context);
    let mut db = app.read().await?;
    let total = lists::count_users(&mut db, access.repo.id, affiliation).await?;
    let found = lists::list_users(&mut db, access.repo.id, affiliation, page).await?;
    let shown: Vec<_> = found.iter().map(|found| Collaborator::new(found, found.role, access.urls())).collect();
    Ok(ApiResponse::ok(&shown).with_link(page::link(page, context, total)))
}

pub async fn check(access: Allowed<CheckCollaborator, RepoTarget>, app: App) -> Result<ApiResponse> {
    let found = find(&app, &access).await?;
    found.role.map(|_| ApiResponse::no_content()).ok_or(Error::NotFound)
}

pub async fn get_permission(access: Allowed<GetCollaboratorPermission, RepoTarget>, app: App) -> Result<ApiResponse> {
    let found = find(&app, &access).await?;
    let everyone = (!access.private).then_some(Role::Read);
    let role = found.role.max(everyone);
    let permission = match role {
        Some(Role::Admin) => "admin",
        Some(Role::Maintain | Role::Write) => "write",
        Some(Role::Triage | Role::Read) => "read",
        None => "none",
    };
    let user = Collaborator::new(&found, role, access.urls());
    Ok(ApiResponse::ok(&CollaboratorPermission { permission, role_name: user.role_name, user }))
}

/// The right is effective at once: there are no invitations.
pub async fn add(
    access: Allowed<AddCollaborator, RepoTarget>,
    app: App,
    Json(body): Json<CollaboratorBody>,
) -> Result<ApiResponse> {
    let login = access.context().params.get("username").to_owned();
    operations::add_collaborator(&app, &access.for_writing(), login, body.into()).await?;
    Ok(ApiResponse::no_content())
}

pub async fn remove(access: Allowed<RemoveCollaborator, RepoTarget>, app: App) -> Result<ApiResponse> {
    let login = access.context().params.get("username").to_owned();
    operations::remove_collaborator(&app, &access.for_writing(), login).await?;
    Ok(ApiResponse::no_content())
}

async fn find<E: Endpoint>(app: &App, access: &Allowed<E, RepoTarget>) -> Result<UserWithRole> {
    let login = access.context().params.get("username");
    lists::find_user(&mut app.read().await?, access.repo.id, login).await?.ok_or(Error::NotFound)
}
