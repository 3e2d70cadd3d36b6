//! The right to write, checked again inside the transaction that uses it.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use plinth_base::error::{Error, Result};
use plinth_base::ids::AccountId;
use plinth_store::{Connection, Dependency, Generations, InvalidationScope, Transaction, WriteAuthority};

use super::authorize::{Access, find};
use super::{AccessRequest, BAD_CREDENTIALS, Facts, Grant, Kind, NOT_A_JSON_WEB_TOKEN, Target, check_kind, decide};
use crate::tokens::{self, Principal};
use crate::{Core, apps};

impl<T: Target> Access<T> {
    /// The same proof, for an operation that writes.
    pub fn for_writing(self: &Arc<Self>) -> WriteAccess<T> {
        assert!(self.request.rule.is_write(), "the policy table says that {} reads", self.operation());
        WriteAccess(self.clone())
    }
}

/// A resource that the caller may change. Cheap to clone.
pub struct WriteAccess<T>(Arc<Access<T>>);

impl<T> Clone for WriteAccess<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Deref for WriteAccess<T> {
    type Target = Access<T>;

    fn deref(&self) -> &Access<T> {
        &self.0
    }
}

impl<T: Target> WriteAccess<T> {
    pub(crate) fn generations(&self) -> Option<Generations> {
        self.request.generations
    }

    pub(crate) fn principal(&self) -> Arc<Principal> {
        self.request.principal.clone()
    }

    /// The account that the operation is attributed to.
    pub(crate) fn author(&self) -> Result<AccountId> {
        self.caller().actor().ok_or(Error::Unauthenticated("Requires authentication"))
    }

    /// The authority to write: the same decision, made again inside the transaction.
    pub(crate) fn authority(&self) -> Recheck<T> {
        Recheck::new(self.core.clone(), self.request.clone(), self.facts)
    }

    /// Checks before expensive work whether the caller still has the right.
    pub async fn check_again(&self) -> Result<()> {
        self.authority().look_up(&mut self.core.read().await?).await.map(drop)
    }

    /// Runs `work` in one transaction that first checks the caller's right.
    pub(crate) fn write<C, R, F>(&self, context: C, work: F) -> impl Future<Output = Result<R>> + Send + use<C, R, F, T>
    where
        C: Send + Sync + 'static,
        R: Send + 'static,
        F: for<'a> Fn(&'a mut Transaction, &'a C) -> BoxFuture<'a, Result<R>> + Send + Sync + 'static,
    {
        self.core.store.write(self.authority(), context, work)
    }

    /// As [`WriteAccess::write`], for work that needs the resource as the transaction sees it.
    pub(crate) fn write_current<C, R, F>(
        &self,
        context: C,
        work: F,
    ) -> impl Future<Output = Result<R>> + Send + use<C, R, F, T>
    where
        C: Send + Sync + 'static,
        R: Send + 'static,
        F: for<'a> Fn(&'a mut Transaction, &'a Current<T>, &'a C) -> BoxFuture<'a, Result<R>> + Send + Sync + 'static,
    {
        self.core.store.write_with_proof(RecheckAlways(self.authority()), context, work)
    }

    /// As [`WriteAccess::write`], for work that must check more if caller and resource were looked up again.
    pub(crate) fn write_if_current<C, R, F>(
        &self,
        context: C,
        work: F,
    ) -> impl Future<Output = Result<R>> + Send + use<C, R, F, T>
    where
        C: Send + Sync + 'static,
        R: Send + 'static,
        F: for<'a> Fn(&'a mut Transaction, &'a Option<Current<T>>, &'a C) -> BoxFuture<'a, Result<R>>
            + Send
            + Sync
            + 'static,
    {
        self.core.store.write_with_proof(self.authority(), context, work)
    }
}

/// The authority of a caller: the transaction makes the decision again, so that a right that was revoked since the
/// request began cannot be used.
///
/// If no right has changed since the decision, the decision still holds and the proof is `None`.
pub struct Recheck<T> {
    core: Core,
    request: AccessRequest,
    facts: Facts,
    target: PhantomData<fn() -> T>,
}

/// As [`Recheck`], for work that needs the resource as the transaction sees it.
pub struct RecheckAlways<T>(pub(super) Recheck<T>);

/// The resource, the caller and the grant, as the transaction sees them.
pub struct Current<T> {
    pub target: T,
    pub caller: Arc<Principal>,
    pub grant: Grant,
}

impl<T: Target> WriteAuthority for Recheck<T> {
    type Proof = Option<Current<T>>;

    fn operation(&self) -> &'static str {
        self.request.operation
    }

    fn scope(&self) -> InvalidationScope {
        self.facts.scope(T::KIND)
    }

    async fn check(&self, db: &mut Connection) -> Result<Option<Current<T>>> {
        self.check_time()?;
        if db.is_unchanged(self.request.generations, Dependency::Rights) {
            return Ok(None);
        }
        self.look_up(db).await.map(Some)
    }
}

impl<T: Target> WriteAuthority for RecheckAlways<T> {
    type Proof = Current<T>;

    fn operation(&self) -> &'static str {
        self.0.request.operation
    }

    fn scope(&self) -> InvalidationScope {
        self.0.scope()
    }

    async fn check(&self, db: &mut Connection) -> Result<Current<T>> {
        self.0.check_time()?;
        self.0.look_up(db).await
    }
}

impl<T: Target> Recheck<T> {
    pub(super) fn new(core: Core, request: AccessRequest, facts: Facts) -> Self {
        Self { core, request, facts, target: PhantomData }
    }

    /// Tokens expire without any change in the store.
    fn check_time(&self) -> Result<()> {
        match self.request.principal.is_expired(self.core.clock.now(), &self.core.expired_tokens) {
            true => Err(Error::Unauthenticated(BAD_CREDENTIALS)),
            false => Ok(()),
        }
    }

    /// Looks up caller and resource again and makes the decision.
    pub async fn look_up(&self, db: &mut Connection) -> Result<Current<T>> {
        let caller = self.find_caller(db).await?;
        check_kind(self.request.rule, &caller)?;
        let (target, grant, facts) = find::<T>(db, &self.request, &caller).await?;
        decide(self.request.rule, &caller, &facts, &grant)?;
        self.check_same(&facts)?;
        Ok(Current { target, caller, grant })
    }

    async fn find_caller(&self, db: &mut Connection) -> Result<Arc<Principal>> {
        match &*self.request.principal {
            Principal::Anonymous => Ok(self.request.principal.clone()),
            Principal::App(app) => {
                let has_key = apps::store::list_keys(db, app.app).await?.contains(&app.key);
                let error = Error::Unauthenticated(NOT_A_JSON_WEB_TOKEN);
                if has_key { Ok(self.request.principal.clone()) } else { Err(error) }
            }
            Principal::User(tokens::UserToken { token, .. })
            | Principal::Installation(tokens::InstallationToken { token, .. }) => {
                let found = tokens::store::find_principal_again(db, *token).await?;
                Ok(Arc::new(found.ok_or(Error::Unauthenticated(BAD_CREDENTIALS))?))
            }
        }
    }

    /// The name may belong to another resource now, for which no decision was made. And an operation that was allowed
    /// with one role is not allowed with a lower one.
    fn check_same(&self, facts: &Facts) -> Result<()> {
        if (facts.owner, facts.repo) != (self.facts.owner, self.facts.repo) {
            return Err(Error::NotFound);
        }
        if facts.role < self.facts.role {
            return Err(Error::Forbidden(Kind::of(&self.request.principal).rejection().into()));
        }
        Ok(())
    }
}
