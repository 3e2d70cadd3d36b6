//! The proof that a caller may carry out an operation.

use std::ops::Deref;
use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_store::{Connection, Generations, InvalidationScope};

use super::{AccessRequest, Facts, Grant, Rule, Target, check_kind, decide};
use crate::Core;
use crate::tokens::Principal;

/// A resource on which the caller may carry out the operation. Only [`authorize`] creates one.
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
    let cached = match T::from_cache(core, &request) {
        Some(cached) => Some(cached),
        None => Box::pin(T::refresh_cached(core, &request)).await?,
    };
    let is_cached = cached.is_some();
    let (target, grant, facts) = match cached {
        Some(cached) => cached,
        // Boxed, because every handler would contain a copy of it otherwise.
        None => Box::pin(look_up::<T>(core, &request)).await?,
    };
    decide(request.rule, &request.principal, &facts, &grant)?;
    // Cached only if the caller may see it: otherwise the second request for a hidden resource would be faster.
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
        // As many statements as for a hidden resource, so that the response time does not reveal which one it is.
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

    /// The generations of the store from before the first look-up, if values that were read since then may be cached.
    pub fn generations(&self) -> Option<Generations> {
        self.request.generations
    }

    /// Whether the caller may also carry out an operation with this rule on the same resource.
    pub fn may(&self, rule: &Rule) -> bool {
        let principal = &self.request.principal;
        check_kind(rule, principal).is_ok() && decide(rule, principal, &self.facts, &self.grant).is_ok()
    }

    /// The proof for another operation on the same resource, if only the input says which operation is meant.
    pub fn for_operation(self: Arc<Self>, operation: &'static str, rule: &'static Rule) -> Result<Arc<Self>> {
        check_kind(rule, &self.request.principal)?;
        decide(rule, &self.request.principal, &self.facts, &self.grant)?;
        let access = Arc::into_inner(self).ok_or_else(|| Error::internal("a proof is in use already"))?;
        Ok(Arc::new(Self { request: AccessRequest { operation, rule, ..access.request }, ..access }))
    }
}

impl<T> Deref for Access<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.target
    }
}
