//! The proof that a caller may do what an operation is about to do.

use std::ops::Deref;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use plinth_base::error::{Error, Result};
use plinth_store::{Connection, Generations, InvalidationScope, Transaction};

use super::recheck::{Current, Recheck, RecheckAlways};
use super::{Facts, Grant, PathParams, Rule, Target, check_kind, decide};
use crate::Core;
use crate::tokens::Principal;

/// Who asks for what.
#[derive(Debug, Clone)]
pub struct AccessRequest {
    /// The name of the operation in logs and rate limits.
    pub operation: &'static str,
    pub rule: &'static Rule,
    pub params: PathParams,
    pub principal: Arc<Principal>,
    /// The generations of the store from before anything was looked up, where they are known.
    pub generations: Option<Generations>,
    /// Whether the caller's access to a repository may come from the cache. It holds the time of the last push, so this is
    /// for operations that neither use nor show that.
    pub cached: bool,
}

/// A resource on which the caller may carry out the operation. Only [`authorize`] makes one.
pub struct Access<T> {
    pub target: T,
    /// What the token allows on this resource, for rights that depend on the input.
    pub grant: Grant,
    pub(super) facts: Facts,
    pub(super) request: AccessRequest,
    pub(super) core: Core,
}

/// Finds the resource of a path and decides whether the caller may carry out the operation on it.
pub async fn authorize<T: Target>(core: &Core, request: AccessRequest) -> Result<Access<T>> {
    let cached = T::from_cache(core, &request);
    let is_cached = cached.is_some();
    let (target, grant, facts) = match cached {
        Some(cached) => cached,
        None => look_up::<T>(core, &request).await?,
    };
    decide(request.rule, &request.principal, &facts, &grant)?;
    // Cached only if the caller may know of it: otherwise the second request for a hidden resource would be faster.
    if !is_cached {
        target.add_to_cache(core, &request, &grant, &facts);
    }
    Ok(Access { target, grant, facts, request, core: core.clone() })
}

async fn look_up<T: Target>(core: &Core, request: &AccessRequest) -> Result<(T, Grant, Facts)> {
    if let Some(target) = T::without_lookup() {
        return Ok((target, Grant::Everywhere, Facts::OF_NOTHING));
    }
    find::<T>(&mut core.read().await?, request, &request.principal).await
}

/// The resource of the path, with what the decision needs to know about it.
pub(super) async fn find<T: Target>(
    db: &mut Connection,
    request: &AccessRequest,
    caller: &Principal,
) -> Result<(T, Grant, Facts)> {
    if let Some(target) = T::without_lookup() {
        return Ok((target, Grant::Everywhere, Facts::OF_NOTHING));
    }
    let found = T::find(db, &request.params, caller).await?;
    let Some((target, facts)) = found else {
        // What is absent takes as many statements as what is hidden, so that time does not tell them apart.
        Grant::find(db, caller, &Facts::of_absent(T::KIND)).await?;
        return Err(Error::NotFound);
    };
    let grant = Grant::find(db, caller, &facts).await?;
    Ok((target, grant, facts))
}

impl<T: Target> Access<T> {
    pub fn caller(&self) -> &Principal {
        &self.request.principal
    }

    pub fn operation(&self) -> &'static str {
        self.request.operation
    }

    /// Whose content the operation reads or changes.
    pub fn scope(&self) -> InvalidationScope {
        self.facts.scope(T::KIND)
    }

    /// The proof for another operation on the same resource, where only the input says which one is meant.
    pub fn for_operation(self: Arc<Self>, operation: &'static str, rule: &'static Rule) -> Result<Arc<Self>> {
        check_kind(rule, &self.request.principal)?;
        decide(rule, &self.request.principal, &self.facts, &self.grant)?;
        let access = Arc::into_inner(self).ok_or_else(|| Error::internal("a proof is in use already"))?;
        Ok(Arc::new(Self { request: AccessRequest { operation, rule, ..access.request }, ..access }))
    }

    /// The same proof, for an operation that writes.
    pub fn for_writing(self: &Arc<Self>) -> WriteAccess<T> {
        assert!(self.request.rule.is_write(), "the policy table says that {} reads", self.operation());
        WriteAccess(self.clone())
    }
}

impl<T> Deref for Access<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.target
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

    /// The authority to write: the same decision, to be made once more inside the transaction that acts on it.
    pub(crate) fn authority(&self) -> Recheck<T> {
        Recheck::new(self.core.clone(), self.request.clone(), self.facts)
    }

    /// Checks before a long wait or costly work whether the right still holds.
    pub async fn check_again(&self) -> Result<()> {
        self.authority().look_up(&mut self.core.read().await?).await.map(drop)
    }

    /// Runs `work` in one transaction, in which the caller's right is checked first.
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

    /// As [`WriteAccess::write`], for work that needs to know whether caller and resource were looked up again.
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
