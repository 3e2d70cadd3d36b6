//! The proof that a caller may do what a handler is about to do.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use futures_util::future::BoxFuture;
use http::request::Parts;

use super::{Endpoint, Facts, Kind, Reach, Target, check_kind, decide};
use crate::api::credential::BAD_CREDENTIALS;
use crate::api::exchange::Exchange;
use crate::app::App;
use crate::db::{Connection, State, Store};
use crate::error::{Error, Result};
use crate::tokens::{self, Principal};
use crate::urls::Urls;

/// A resource on which the caller may carry out the operation `E`. Only the decision makes one.
pub struct Allowed<E, T> {
    pub target: T,
    /// How far the token reaches on this resource, for rights that depend on the input.
    pub reach: Reach,
    facts: Facts,
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
        let Self { target, reach, facts, exchange, .. } = self;
        Ok(Allowed { target, reach, facts, exchange, endpoint: PhantomData })
    }

    /// The same decision, to be made once more inside the transaction that acts on it.
    pub fn recheck(&self) -> Recheck<E, T> {
        Recheck { exchange: self.exchange.clone(), facts: self.facts, decided: PhantomData }
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
        F: for<'a> Fn(&'a mut Connection, &'a C) -> BoxFuture<'a, Result<R>> + Send + Sync + 'static,
    {
        store.write((self.recheck(), context, work), |tx, (right, context, work)| {
            Box::pin(async move {
                right.ask_if_moved(tx).await?;
                work(tx, context).await
            })
        })
    }
}

/// A decision that can be made again, so that a right taken away a moment ago is not used any more.
pub struct Recheck<E, T> {
    exchange: Arc<Exchange>,
    facts: Facts,
    decided: PhantomData<fn() -> (E, T)>,
}

impl<E: Endpoint, T: Target> Recheck<E, T> {
    /// The resource as it is now, if the caller's token still lives and the right still stands.
    pub async fn ask(&self, db: &mut Connection) -> Result<T> {
        Ok(self.ask_for_reach(db).await?.0)
    }

    /// The same, but only if anyone's rights have changed since the decision; otherwise it stands as it was made.
    pub async fn ask_if_moved(&self, db: &mut Connection) -> Result<Option<(T, Arc<Principal>, Reach)>> {
        let rights = |state: Option<State>| state.map(|state| state.rights);
        let now = rights(db.state_inside());
        if now.is_some() && now == rights(self.exchange.state) {
            return Ok(None);
        }
        self.ask_for_reach(db).await.map(Some)
    }

    /// The same with whom the token acts as by now and how far it reaches, for rights that depend on the input.
    pub async fn ask_for_reach(&self, db: &mut Connection) -> Result<(T, Arc<Principal>, Reach)> {
        let exchange = &self.exchange;
        let caller = match exchange.principal.token_id() {
            Some(token) => {
                let found = tokens::store::find_principal_again(db, token).await?;
                Arc::new(found.ok_or(Error::Unauthenticated(BAD_CREDENTIALS))?)
            }
            None => exchange.principal.clone(),
        };
        check_kind(&E::ROW.rule, &caller)?;
        let (target, reach, facts) = find::<T>(db, exchange, &caller).await?;
        decide(&E::ROW.rule, &caller, &facts, &reach)?;
        self.check_same(&facts)?;
        Ok((target, caller, reach))
    }

    /// A name may belong to another resource by now, about which nothing was judged; and what was allowed because of a
    /// role is not allowed with a lesser one.
    fn check_same(&self, facts: &Facts) -> Result<()> {
        if (facts.owner, facts.repo) != (self.facts.owner, self.facts.repo) {
            return Err(Error::NotFound);
        }
        if facts.role < self.facts.role {
            return Err(Error::Forbidden(Kind::of(&self.exchange.principal).refusal().into()));
        }
        Ok(())
    }
}

async fn find<T: Target>(db: &mut Connection, exchange: &Exchange, caller: &Principal) -> Result<(T, Reach, Facts)> {
    let found = T::find(db, &exchange.params, caller).await?;
    let Some((target, facts)) = found else {
        // What is absent takes as many statements as what is hidden, so that time does not tell them apart.
        Reach::find(db, caller, &Facts::of_absent(T::KIND)).await?;
        return Err(Error::NotFound);
    };
    let reach = Reach::find(db, caller, &facts).await?;
    Ok((target, reach, facts))
}

impl<E, T> Deref for Allowed<E, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.target
    }
}

impl<E: Endpoint, T: Target> FromRequestParts<App> for Allowed<E, T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        const { assert!(E::ROW.rule.target as u8 == T::KIND as u8, "the handler asks for another target than its row") }
        let exchange = Exchange::of(parts);
        if let Some(target) = T::without_lookup() {
            decide(&E::ROW.rule, &exchange.principal, &Facts::OF_NOTHING, &Reach::Everywhere)?;
            let (reach, facts) = (Reach::Everywhere, Facts::OF_NOTHING);
            return Ok(Self { target, reach, facts, exchange, endpoint: PhantomData });
        }
        let known = T::recall(app, &exchange);
        let is_known = known.is_some();
        let (target, reach, facts) = match known {
            Some(known) => known,
            None => find::<T>(&mut app.store.read().await?, &exchange, &exchange.principal).await?,
        };
        decide(&E::ROW.rule, &exchange.principal, &facts, &reach)?;
        // Only what the caller may know of: otherwise the second request for what is hidden would be a quicker one.
        if !is_known {
            target.remember(app, &exchange, &reach, &facts);
        }
        Ok(Self { target, reach, facts, exchange, endpoint: PhantomData })
    }
}
