//! Installations as targets of paths.

use super::store;
use crate::access::{Facts, PathParams, Role, Target, TargetKind};
use crate::accounts::{self, AccountKind};
use crate::apps::{self, Installation};
use crate::repos::{self, Repo};
use crate::tokens::{Principal, SelectionMode, UserLimits};
use plinth_base::error::Result;
use plinth_base::ids::{AccountId, AppId, InstallationId, RepoId};
use plinth_store::{Connection, DbError};

/// An installation that the user behind the token can see.
pub struct UserInstallation(pub Installation);

impl Target for UserInstallation {
    const KIND: TargetKind = TargetKind::Installation;

    async fn find(db: &mut Connection, path: &PathParams, caller: &Principal) -> Result<Option<(Self, Facts)>> {
        let Some(installation) = find_for_user(db, path, caller).await? else { return Ok(None) };
        let owner = installation.account_id;
        let facts = Facts { owner, repo: None, public: false, archived: false, role: Some(Role::Read) };
        Ok(Some((UserInstallation(installation), facts)))
    }
}

/// An installation and a repository of the same account.
pub struct InstallationRepo {
    pub installation: Installation,
    pub repo: Repo,
}

impl Target for InstallationRepo {
    const KIND: TargetKind = TargetKind::Installation;

    async fn find(db: &mut Connection, path: &PathParams, caller: &Principal) -> Result<Option<(Self, Facts)>> {
        let Some(id) = path.number("repository_id") else { return Ok(None) };
        let Some(installation) = find_for_user(db, path, caller).await? else { return Ok(None) };
        let found = repos::store::find_by_id(db, id, caller.user_id()).await?;
        let Some(found) = found.filter(|found| found.repo.owner_id == installation.account_id) else {
            return Ok(None);
        };
        let facts = Facts {
            owner: found.repo.owner_id,
            repo: Some(found.repo.id),
            public: !found.repo.private,
            // The installations of an archived repository may still change.
            archived: false,
            role: found.role,
        };
        Ok(Some((InstallationRepo { installation, repo: found.repo }, facts)))
    }
}

/// The installation of the path, if the user behind the token can see it. A token of an app sees only that app's.
async fn find_for_user(
    db: &mut Connection,
    path: &PathParams,
    caller: &Principal,
) -> Result<Option<Installation>, DbError> {
    let Some(user) = caller.user() else { return Ok(None) };
    let Some(id) = path.number::<InstallationId>("installation_id") else { return Ok(None) };
    let found = match &user.limits {
        UserLimits::AppUser { app } => find_of_app(db, id, *app).await?,
        UserLimits::Classic(_) | UserLimits::OAuth { .. } | UserLimits::FineGrained { .. } => {
            apps::store::find_installation(db, id).await?
        }
    };
    // Also for an absent installation, so that the response time does not reveal whether it exists.
    let is_visible = store::is_visible(db, id, user.user).await?;
    Ok(found.filter(|_| is_visible))
}

/// An installation of the app that signed the request.
pub struct OwnInstallation(pub Installation);

impl Target for OwnInstallation {
    const KIND: TargetKind = TargetKind::Installation;

    async fn find(db: &mut Connection, path: &PathParams, caller: &Principal) -> Result<Option<(Self, Facts)>> {
        let Principal::App(signed) = caller else { return Ok(None) };
        let found = find_named(db, path, signed.app).await?;
        Ok(found.map(|installation| {
            let owner = installation.account_id;
            let facts = Facts { owner, repo: None, public: true, archived: false, role: None };
            (OwnInstallation(installation), facts)
        }))
    }
}

/// Finds it by its id, by one of its repositories, or by its account.
async fn find_named(db: &mut Connection, path: &PathParams, app: AppId) -> Result<Option<Installation>, DbError> {
    if path.has("installation_id") {
        return match path.number("installation_id") {
            Some(id) => find_of_app(db, id, app).await,
            None => Ok(None),
        };
    }
    if path.has("repo") {
        return find_with_repo(db, path, app).await;
    }
    let account = if path.has("org") {
        accounts::store::find_of_kind(db, path.get("org"), AccountKind::Organization).await?
    } else {
        accounts::store::find_by_login(db, path.get("username")).await?
    };
    match account {
        Some(account) => find_on(db, app, account.id).await,
        None => Ok(None),
    }
}

async fn find_with_repo(db: &mut Connection, path: &PathParams, app: AppId) -> Result<Option<Installation>, DbError> {
    let found = repos::store::find(db, path.get("owner"), path.get("repo"), None).await?;
    let (owner, repo) = found.map_or((AccountId(0), RepoId(0)), |found| (found.repo.owner_id, found.repo.id));
    // The same number of statements in every case, so that the response time reveals nothing.
    let installation = find_on(db, app, owner).await?;
    let id = installation.as_ref().map_or(InstallationId(0), |installation| installation.id);
    let selects = apps::store::selects(db, id, repo).await?;
    Ok(installation.filter(|found| selects || found.repository_selection == SelectionMode::All))
}

async fn find_on(db: &mut Connection, app: AppId, account: AccountId) -> Result<Option<Installation>, DbError> {
    apps::store::find_installation_on(db, app, account).await
}

async fn find_of_app(db: &mut Connection, id: InstallationId, app: AppId) -> Result<Option<Installation>, DbError> {
    let found = apps::store::find_installation(db, id).await?;
    Ok(found.filter(|installation| installation.app_id == app))
}
