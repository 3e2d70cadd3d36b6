//! What paths lead to: found together with what the decision needs to know about it.

use std::future::Future;
use std::sync::Arc;

use plinth_base::error::Result;
use plinth_base::ids::{AccountId, RepoId, TokenId};
use plinth_store::{Connection, Dependency, Generations, InvalidationScope};

use super::{AccessRequest, Grant, RepositoryAccess, TargetKind};
use crate::Core;
use crate::accounts::{self, Account, AccountKind, OrgRole};
use crate::repos::{self, Repo, RepoRole};
use crate::tokens::Principal;

/// Something that a path names and that rights are about.
pub trait Target: Sized + Send + Sync + 'static {
    const KIND: TargetKind;

    /// The resource and the facts about it, or nothing where it does not exist.
    fn find(
        db: &mut Connection,
        path: &PathParams,
        caller: &Principal,
    ) -> impl Future<Output = Result<Option<(Self, Facts)>>> + Send;

    /// The resource from the cache, where the request allows that.
    fn from_cache(_: &Core, _: &AccessRequest) -> Option<(Self, Grant, Facts)> {
        None
    }

    /// Adds what was found to the cache, where the request allows that.
    fn add_to_cache(&self, _: &Core, _: &AccessRequest, _: &Grant, _: &Facts) {}

    /// The target itself where there is nothing to look up.
    fn without_lookup() -> Option<Self> {
        None
    }
}

/// What the decision needs to know about a resource and the caller's standing in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    pub owner: AccountId,
    /// Set where a selection of repositories can exclude the resource.
    pub repo: Option<RepoId>,
    pub public: bool,
    pub archived: bool,
    /// What the user behind the token is to the resource, apart from its being public.
    pub role: Option<RepoRole>,
}

impl Facts {
    /// For operations about no resource: public, and nobody's.
    pub const OF_NOTHING: Facts = Facts { owner: AccountId(0), repo: None, public: true, archived: false, role: None };
}

impl Facts {
    /// Whose content operations on a resource of this kind read and change.
    pub fn scope(&self, kind: TargetKind) -> InvalidationScope {
        match (kind, self.repo) {
            (TargetKind::Repo, Some(repo)) => InvalidationScope::Repo(repo),
            (
                TargetKind::OwnAccount
                | TargetKind::Org
                | TargetKind::OrgProject
                | TargetKind::UserProject
                | TargetKind::AnyProject,
                None,
            ) => InvalidationScope::Account(self.owner),
            _ => InvalidationScope::Everything,
        }
    }

    /// As if there were something of this kind that the caller may not see; no stored id is zero.
    pub fn of_absent(kind: TargetKind) -> Facts {
        let repo = match kind {
            TargetKind::Repo => Some(RepoId(0)),
            _ => None,
        };
        Facts { owner: AccountId(0), repo, public: false, archived: false, role: None }
    }
}

/// The named parts of a path, decoded once.
#[derive(Debug, Clone, Default)]
pub struct PathParams(Vec<(&'static str, String)>);

impl PathParams {
    /// Takes the parts as they are, decoded already.
    pub fn new(parts: Vec<(&'static str, String)>) -> Self {
        Self(parts)
    }

    /// Whether the path of the operation has such a part.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == name)
    }

    pub fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// A part that must be a number; anything else names nothing.
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        let text = self.get(name);
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten()
    }
}

/// The operation is about no resource.
pub struct NoTarget;

impl Target for NoTarget {
    const KIND: TargetKind = TargetKind::Nothing;

    async fn find(_: &mut Connection, _: &PathParams, _: &Principal) -> Result<Option<(Self, Facts)>> {
        Ok(None)
    }

    fn without_lookup() -> Option<Self> {
        Some(NoTarget)
    }
}

/// The account of the user behind the token.
pub struct OwnAccount(pub Account);

impl Target for OwnAccount {
    const KIND: TargetKind = TargetKind::OwnAccount;

    async fn find(db: &mut Connection, _: &PathParams, caller: &Principal) -> Result<Option<(Self, Facts)>> {
        let Some(user) = caller.user_id() else { return Ok(None) };
        let found = accounts::store::find(db, user).await?;
        Ok(found.map(|account| {
            let role = Some(RepoRole::Admin);
            (OwnAccount(account), Facts { owner: user, repo: None, public: false, archived: false, role })
        }))
    }
}

/// Any account with a public profile.
pub struct User(pub Account);

impl Target for User {
    const KIND: TargetKind = TargetKind::User;

    async fn find(db: &mut Connection, path: &PathParams, caller: &Principal) -> Result<Option<(Self, Facts)>> {
        let found = accounts::store::find_by_login(db, path.get("username")).await?;
        Ok(found.map(|account| {
            let role = (caller.user_id() == Some(account.id)).then_some(RepoRole::Admin);
            let facts = Facts { owner: account.id, repo: None, public: true, archived: false, role };
            (User(account), facts)
        }))
    }
}

/// An organization.
pub struct Org(pub Account);

impl Target for Org {
    const KIND: TargetKind = TargetKind::Org;

    async fn find(db: &mut Connection, path: &PathParams, caller: &Principal) -> Result<Option<(Self, Facts)>> {
        let found = accounts::store::find_of_kind(db, path.get("org"), AccountKind::Organization).await?;
        let Some(account) = found else { return Ok(None) };
        let role = match caller.user_id() {
            Some(user) => accounts::store::find_membership(db, account.id, user).await?.map(role_in_org),
            None => None,
        };
        let facts = Facts { owner: account.id, repo: None, public: true, archived: false, role };
        Ok(Some((Org(account), facts)))
    }
}

/// A member reads what the organization keeps for itself; an admin does everything.
fn role_in_org(role: OrgRole) -> RepoRole {
    match role {
        OrgRole::Member => RepoRole::Read,
        OrgRole::Admin => RepoRole::Admin,
    }
}

/// A repository, with what the user behind the token is in it.
#[derive(Debug, Clone)]
pub struct RepoTarget {
    pub repo: Repo,
    pub role: Option<RepoRole>,
}

impl std::ops::Deref for RepoTarget {
    type Target = Repo;

    fn deref(&self) -> &Repo {
        &self.repo
    }
}

impl Target for RepoTarget {
    const KIND: TargetKind = TargetKind::Repo;

    async fn find(db: &mut Connection, path: &PathParams, caller: &Principal) -> Result<Option<(Self, Facts)>> {
        Self::find_named(db, path.get("owner"), path.get("repo"), caller).await
    }

    fn from_cache(core: &Core, request: &AccessRequest) -> Option<(Self, Grant, Facts)> {
        let (_, key) = Self::cache_key(request)?;
        let cached = core.authorization_cache.repositories.get(&key)?;
        let RepositoryAccess { target, facts, grant } = (*cached).clone();
        Some((target, grant, facts))
    }

    fn add_to_cache(&self, core: &Core, request: &AccessRequest, grant: &Grant, facts: &Facts) {
        if let Some((generations, key)) = Self::cache_key(request) {
            let access = RepositoryAccess { target: self.clone(), facts: *facts, grant: grant.clone() };
            core.authorization_cache.repositories.insert(generations, Dependency::Rights, key, Arc::new(access));
        }
    }
}

impl RepoTarget {
    /// The request's generations and the key of the caller's access in the cache, if the request may use the cache.
    fn cache_key(request: &AccessRequest) -> Option<(Generations, (TokenId, String))> {
        if !request.cached {
            return None;
        }
        let (generations, token) = (request.generations?, request.principal.token_id()?);
        let name = format!("{}/{}", request.params.get("owner"), request.params.get("repo"));
        Some((generations, (token, name)))
    }

    /// The repository of this name, for paths that write it in their own way.
    pub async fn find_named(
        db: &mut Connection,
        owner: &str,
        name: &str,
        caller: &Principal,
    ) -> Result<Option<(Self, Facts)>> {
        let found = repos::store::find(db, owner, name, caller.user_id()).await?;
        Ok(found.map(|found| {
            let facts = Facts {
                owner: found.repo.owner_id,
                repo: Some(found.repo.id),
                public: !found.repo.private,
                archived: found.repo.archived,
                role: found.role,
            };
            (RepoTarget { repo: found.repo, role: found.role }, facts)
        }))
    }
}
