//! The resources that paths identify, found together with the facts that the decision needs.

use std::future::Future;
use std::sync::Arc;

use plinth_base::error::Result;
use plinth_store::{Connection, Generations};

use super::{Facts, Grant, Role, Rule, TargetKind};
use crate::Core;
use crate::accounts::{self, Account, AccountKind, OrgRole};
use crate::tokens::Principal;

/// A resource that a path identifies.
pub trait Target: Sized + Send + Sync + 'static {
    const KIND: TargetKind;

    /// The resource and the facts about it, or `None` if it does not exist.
    fn find(
        db: &mut Connection,
        path: &PathParams,
        caller: &Principal,
    ) -> impl Future<Output = Result<Option<(Self, Facts)>>> + Send;

    /// The resource from the cache, if the request allows that.
    fn from_cache(_: &Core, _: &AccessRequest) -> Option<(Self, Grant, Facts)> {
        None
    }

    /// As [`Target::from_cache`], where a part of the resource has changed and is read again.
    fn refresh_cached(
        _: &Core,
        _: &AccessRequest,
    ) -> impl Future<Output = Result<Option<(Self, Grant, Facts)>>> + Send {
        async { Ok(None) }
    }

    /// Adds the result of a look-up to the cache, if the request allows that.
    fn add_to_cache(&self, _: &Core, _: &AccessRequest, _: &Grant, _: &Facts) {}

    /// The target itself, if there is nothing to look up.
    fn without_lookup() -> Option<Self> {
        None
    }
}

/// Who asks for what.
#[derive(Debug, Clone)]
pub struct AccessRequest {
    /// The name of the operation in logs and rate limits.
    pub operation: &'static str,
    pub rule: &'static Rule,
    pub params: PathParams,
    pub principal: Arc<Principal>,
    /// The generations of the store from before the first look-up, if they are own.
    pub generations: Option<Generations>,
    pub cached: CachedAccess,
}

/// Which entry of a cache of access a request may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CachedAccess {
    None,
    /// One that is valid until rights change. The time of the last push and other content in it may be outdated, so this is
    /// for operations that neither use nor show that.
    Rights,
    /// One that is valid until rights change, with the resource as the store has it: what else has changed is read again.
    Content,
}

/// The named parameters of a path, decoded.
#[derive(Debug, Clone, Default)]
pub struct PathParams(Arc<[(&'static str, String)]>);

impl PathParams {
    pub fn new(parts: Vec<(&'static str, String)>) -> Self {
        Self(parts.into())
    }

    /// Whether the path of the operation has this parameter.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| *own == name)
    }

    pub fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(own, _)| *own == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// A parameter that must be a number; `None` for any other text.
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        let text = self.get(name);
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten()
    }
}

/// For operations without a resource.
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
            let role = Some(Role::Admin);
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
            let role = (caller.user_id() == Some(account.id)).then_some(Role::Admin);
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

/// A member may read what is visible to members only; an admin may do everything.
fn role_in_org(role: OrgRole) -> Role {
    match role {
        OrgRole::Member => Role::Read,
        OrgRole::Admin => Role::Admin,
    }
}
