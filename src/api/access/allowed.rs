//! The proof that a caller may do what a handler is about to do.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::recheck::{Current, Recheck, RecheckAlways, find};
use super::{Endpoint, Facts, Reach, Target, check_kind, decide};
use crate::api::exchange::Exchange;
use crate::api::handler::{ApiRequest, FromRequest};
use crate::app::App;
use crate::db::{Store, Transaction};
use crate::error::Result;
use crate::tokens::Principal;
use crate::urls::Urls;

/// A resource on which the caller may carry out the operation `E`. Only the decision makes one.
pub struct Allowed<E, T> {
    pub target: T,
    /// How far the token reaches on this resource, for rights that depend on the input.
    pub reach: Reach,
    facts: Facts,
    app: App,
    exchange: Arc<Exchange>,
    endpoint: PhantomData<E>,
}

impl<E: Endpoint, T: Target> Allowed<E, T> {
    pub fn caller(&self) -> &Principal {
        &self.exchange.principal
    }

    pub fn urls(&self) -> &Urls {
        &self.exchange.urls
    }

    pub fn exchange(&self) -> &Exchange {
        &self.exchange
    }

    /// The proof for another operation on the same resource, where the request says only now which one it means.
    pub fn to_do<F: Endpoint>(self) -> Result<Allowed<F, T>> {
        const { assert!(F::ROW.rule.target as u8 == T::KIND as u8, "the operation has another target than the proof") }
        check_kind(&F::ROW.rule, &self.exchange.principal)?;
        decide(&F::ROW.rule, &self.exchange.principal, &self.facts, &self.reach)?;
        let Self { target, reach, facts, app, exchange, .. } = self;
        Ok(Allowed { target, reach, facts, app, exchange, endpoint: PhantomData })
    }

    /// The authority to write: the same decision, to be made once more inside the transaction that acts on it.
    pub fn authority(&self) -> Recheck<E, T> {
        Recheck::new(self.app.clone(), self.exchange.clone(), self.facts)
    }

    /// Runs `work` in one transaction, in which the right still stands as it was decided.
    pub fn write<C, R, F>(
        &self,
        store: &Store,
        context: C,
        work: F,
    ) -> impl Future<Output = Result<R>> + Send + use<C, R, F, E, T>
    where
        C: Send + Sync + 'static,
        R: Send + 'static,
        F: for<'a> Fn(&'a mut Transaction, &'a C) -> BoxFuture<'a, Result<R>> + Send + Sync + 'static,
    {
        store.write(self.authority(), context, work)
    }

    /// As [`Allowed::write`], for work that needs the resource as the transaction sees it.
    pub fn write_current<C, R, F>(
        &self,
        store: &Store,
        context: C,
        work: F,
    ) -> impl Future<Output = Result<R>> + Send + use<C, R, F, E, T>
    where
        C: Send + Sync + 'static,
        R: Send + 'static,
        F: for<'a> Fn(&'a mut Transaction, &'a Current<T>, &'a C) -> BoxFuture<'a, Result<R>> + Send + Sync + 'static,
    {
        store.write_with_proof(RecheckAlways(self.authority()), context, work)
    }
}

impl<E, T> Deref for Allowed<E, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.target
    }
}

impl<E: Endpoint, T: Target> FromRequest for Allowed<E, T> {
    async fn from_request(request: &mut ApiRequest, app: &App) -> Result<Self> {
        const { assert!(E::ROW.rule.target as u8 == T::KIND as u8, "the handler asks for another target than its row") }
        let (exchange, app) = (request.exchange.clone(), app.clone());
        let known = T::recall(&app, &exchange);
        let is_known = known.is_some();
        let (target, reach, facts) = match known {
            Some(known) => known,
            None => look_up::<T>(&app, &exchange).await?,
        };
        decide(&E::ROW.rule, &exchange.principal, &facts, &reach)?;
        // Only what the caller may know of: otherwise the second request for what is hidden would be a quicker one.
        if !is_known {
            target.remember(&app, &exchange, &reach, &facts);
        }
        Ok(Self { target, reach, facts, app, exchange, endpoint: PhantomData })
    }
}

async fn look_up<T: Target>(app: &App, exchange: &Exchange) -> Result<(T, Reach, Facts)> {
    if let Some(target) = T::without_lookup() {
        return Ok((target, Reach::Everywhere, Facts::OF_NOTHING));
    }
    find::<T>(&mut app.store.read().await?, exchange, &exchange.principal).await
}
