//! The decision made once more, inside the transaction that acts on it.

use std::marker::PhantomData;
use std::sync::Arc;

use super::decide::NOT_A_JSON_WEB_TOKEN;
use super::{Endpoint, Facts, Kind, Reach, Target, check_kind, decide};
use crate::api::credential::BAD_CREDENTIALS;
use crate::api::exchange::Exchange;
use crate::app::App;
use crate::apps;
use crate::db::{Connection, State, WriteAuthority};
use crate::error::{Error, Result};
use crate::tokens::{self, Principal};

/// The authority of a caller: a decision that is made again in the transaction, so that a right that was taken away a
/// moment ago is not used any more.
///
/// As long as nobody's rights have changed since the decision, it stands as it was made, and the proof is empty.
pub struct Recheck<E, T> {
    app: App,
    exchange: Arc<Exchange>,
    facts: Facts,
    decided: PhantomData<fn() -> (E, T)>,
}

/// As [`Recheck`], for work that needs the resource as the transaction sees it.
pub struct RecheckAlways<E, T>(pub(super) Recheck<E, T>);

/// A resource as a transaction sees it, and what the caller is to it by now.
pub struct Current<T> {
    pub target: T,
    pub caller: Arc<Principal>,
    pub reach: Reach,
}

impl<E: Endpoint, T: Target> WriteAuthority for Recheck<E, T> {
    type Proof = Option<Current<T>>;

    fn operation(&self) -> &'static str {
        E::ROW.operation
    }

    async fn check(&self, db: &mut Connection) -> Result<Option<Current<T>>> {
        self.check_time()?;
        let rights = |state: Option<State>| state.map(|state| state.rights);
        let now = rights(db.state_inside());
        if now.is_some() && now == rights(self.exchange.state) {
            return Ok(None);
        }
        self.look_up(db).await.map(Some)
    }
}

impl<E: Endpoint, T: Target> WriteAuthority for RecheckAlways<E, T> {
    type Proof = Current<T>;

    fn operation(&self) -> &'static str {
        E::ROW.operation
    }

    async fn check(&self, db: &mut Connection) -> Result<Current<T>> {
        self.0.check_time()?;
        self.0.look_up(db).await
    }
}

impl<E: Endpoint, T: Target> Recheck<E, T> {
    pub(super) fn new(app: App, exchange: Arc<Exchange>, facts: Facts) -> Self {
        const { assert!(E::ROW.rule.is_write(), "the table says that the operation reads") }
        Self { app, exchange, facts, decided: PhantomData }
    }

    /// The clock ends tokens without any change in the store.
    fn check_time(&self) -> Result<()> {
        match self.exchange.principal.is_expired(self.app.clock.now(), &self.app.expired_tokens) {
            true => Err(Error::Unauthenticated(BAD_CREDENTIALS)),
            false => Ok(()),
        }
    }

    /// Finds caller and resource anew, and makes the decision about them.
    pub async fn look_up(&self, db: &mut Connection) -> Result<Current<T>> {
        let caller = self.find_caller(db).await?;
        check_kind(&E::ROW.rule, &caller)?;
        let (target, reach, facts) = find::<T>(db, &self.exchange, &caller).await?;
        decide(&E::ROW.rule, &caller, &facts, &reach)?;
        self.check_same(&facts)?;
        Ok(Current { target, caller, reach })
    }

    async fn find_caller(&self, db: &mut Connection) -> Result<Arc<Principal>> {
        match &*self.exchange.principal {
            Principal::Anonymous => Ok(self.exchange.principal.clone()),
            Principal::App(app) => {
                let has_key = apps::store::list_keys(db, app.app).await?.contains(&app.key);
                let refused = Error::Unauthenticated(NOT_A_JSON_WEB_TOKEN);
                if has_key { Ok(self.exchange.principal.clone()) } else { Err(refused) }
            }
            Principal::User(tokens::UserToken { token, .. })
            | Principal::Installation(tokens::InstallationToken { token, .. }) => {
                let found = tokens::store::find_principal_again(db, *token).await?;
                Ok(Arc::new(found.ok_or(Error::Unauthenticated(BAD_CREDENTIALS))?))
            }
        }
    }

    /// A name may belong to another resource by now, about which nothing was decided; and what was allowed because of a
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

/// The resource of the path, with what the decision needs to know about it.
pub(super) async fn find<T: Target>(
    db: &mut Connection,
    exchange: &Exchange,
    caller: &Principal,
) -> Result<(T, Reach, Facts)> {
    if let Some(target) = T::without_lookup() {
        return Ok((target, Reach::Everywhere, Facts::OF_NOTHING));
    }
    let found = T::find(db, &exchange.params, caller).await?;
    let Some((target, facts)) = found else {
        // What is absent takes as many statements as what is hidden, so that time does not tell them apart.
        Reach::find(db, caller, &Facts::of_absent(T::KIND)).await?;
        return Err(Error::NotFound);
    };
    let reach = Reach::find(db, caller, &facts).await?;
    Ok((target, reach, facts))
}
