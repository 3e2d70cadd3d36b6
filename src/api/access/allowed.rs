//! The proof that a caller may do what a handler is about to do.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::request::Parts;

use super::{Endpoint, Facts, Reach, Target, check_kind, decide};
use crate::api::exchange::Exchange;
use crate::app::App;
use crate::db::Connection;
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

    /// Decides again with what is true now: much may change while a large request comes in.
    pub async fn check_again(&self, db: &mut Connection) -> Result<T> {
        let (params, principal) = (&self.exchange.params, &self.exchange.principal);
        if let Some(token) = principal.token_id()
            && !tokens::store::is_in_use(db, token).await?
        {
            return Err(Error::Unauthenticated("Bad credentials"));
        }
        let Some((target, facts)) = T::find(db, params, principal).await? else { return Err(Error::NotFound) };
        let reach = Reach::find(db, principal, &facts).await?;
        decide(&E::ROW.rule, principal, &facts, &reach)?;
        Ok(target)
    }
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
        let mut db = app.store.read().await?;
        let found = T::find(&mut db, &exchange.params, &exchange.principal).await?;
        let Some((target, facts)) = found else { return Err(Error::NotFound) };
        let reach = Reach::find(&mut db, &exchange.principal, &facts).await?;
        decide(&E::ROW.rule, &exchange.principal, &facts, &reach)?;
        Ok(Self { target, reach, facts, exchange, endpoint: PhantomData })
    }
}
