//! What the paths of this area lead to.

use super::store;
use crate::access::{Facts, PathParams, Target, TargetKind};
use crate::accounts::{self, AccountKind};
use crate::apps::{self, Installation};
use crate::repos::{self, Repo, RepoRole};
use crate::tokens::{Principal, SelectionMode, UserLimits};
use plinth_base::error::Result;
use plinth_base::ids::{AccountId, AppId, InstallationId, RepoId};
use plinth_store::{Connection, DbError};

/// An installation in the eyes of a user: absent unless the user has something of its own in it.
pub struct UserInstallation(pub Installation);

impl Target for UserInstallation {
    const KIND: TargetKind = TargetKind::Installation;

    async fn find(db: &mut Connection, path: &PathParams, caller: &Principal) -> Result<Option<(Self, Facts)>> {
        let Some(installation) = find_for_user(db, path, caller).await? else { return Ok(None) };
        let owner = installation.account_id;
        let facts = Facts { owner, repo: None, public: false, archived: false, role: Some(RepoRole::Read) };
        Ok(Some((UserInstallation(installation), facts)))
    }
}

/// A repository together with an installation that may have it: both belong to one account.
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
            // Which app reaches a repository is not part of what its archive keeps unchanged.
            archived: false,
            role: found.role,
        };
        Ok(Some((InstallationRepo { installation, repo: found.repo }, facts)))
    }
}

/// The installation of the path, if the user behind the token has a part in it. A token of an app shows that app only.
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
    // Also about one that does not exist, so that time does not tell whether it does.
    let is_visible = store::is_visible(db, id, user.user).await?;
    Ok(found.filter(|_| is_visible))
}

/// An installation of the app that signed the request; those of other apps do not exist for it.
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

/// By its number, by a repository that it has, or by the account that it is on.
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
    // As many statements for what is absent, or not in the installation, as for what is there.
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
