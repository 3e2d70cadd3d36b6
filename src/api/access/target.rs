//! What paths lead to: found together with what the decision needs to know about it.

use std::future::Future;
use std::sync::Arc;

use percent_encoding::percent_decode_str;

use super::{Memory, Reach, Standing, TargetKind};
use crate::accounts::{self, Account, AccountKind, OrgRole};
use crate::api::exchange::Exchange;
use crate::app::App;
use crate::db::Connection;
use crate::error::Result;
use crate::ids::{AccountId, RepoId, TokenId};
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

    /// What is known about it already, for operations that may take it from memory.
    fn recall(_: &App, _: &Exchange) -> Option<(Self, Reach, Facts)> {
        None
    }

    /// Keeps what was found, for operations that may take it from memory.
    fn remember(&self, _: &App, _: &Exchange, _: &Reach, _: &Facts) {}

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
    /// Decodes each part; a path that is not UTF-8 names nothing.
    pub fn decode<'p>(raw: impl Iterator<Item = (&'static str, &'p str)>) -> Option<Self> {
        let decoded = raw.map(|(name, value)| {
            let value = percent_decode_str(value).decode_utf8().ok()?.into_owned();
            Some((name, value))
        });
        decoded.collect::<Option<_>>().map(Self)
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

    fn recall(app: &App, exchange: &Exchange) -> Option<(Self, Reach, Facts)> {
        let (rights, token, address) = Self::place(exchange)?;
        let Standing { target, facts, reach } = (*app.known.standings.get(rights, &(token, address))?).clone();
        Some((target, reach, facts))
    }

    fn remember(&self, app: &App, exchange: &Exchange, reach: &Reach, facts: &Facts) {
        if let Some((rights, token, address)) = Self::place(exchange) {
            let standing = Standing { target: self.clone(), facts: *facts, reach: reach.clone() };
            app.known.standings.keep(rights, (token, address), Arc::new(standing));
        }
    }
}

impl RepoTarget {
    /// Under what a caller's standing is remembered, where it may be.
    fn place(exchange: &Exchange) -> Option<(u64, TokenId, String)> {
        let (rights, token) = (exchange.state?.rights, exchange.principal.token_id()?);
        let address = || format!("{}/{}", exchange.params.get("owner"), exchange.params.get("repo"));
        (exchange.row.memory == Memory::Standing).then(|| (rights, token, address()))
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
