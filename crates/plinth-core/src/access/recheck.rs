//! The decision made once more, inside the transaction that acts on it.

use std::marker::PhantomData;
use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_store::{Connection, Dependency, InvalidationScope, WriteAuthority};

use super::authorize::find;
use super::{AccessRequest, BAD_CREDENTIALS, Facts, Grant, Kind, NOT_A_JSON_WEB_TOKEN, Target, check_kind, decide};
use crate::tokens::{self, Principal};
use crate::{Core, apps};

/// The authority of a caller: a decision that is made again in the transaction, so that a right that was taken away a
/// moment ago is not used any more.
///
/// As long as nobody's rights have changed since the decision, it stands as it was made, and the proof is empty.
pub struct Recheck<T> {
    core: Core,
    request: AccessRequest,
    facts: Facts,
    target: PhantomData<fn() -> T>,
}

/// As [`Recheck`], for work that needs the resource as the transaction sees it.
pub struct RecheckAlways<T>(pub(super) Recheck<T>);

/// A resource as a transaction sees it, and what the caller is to it by now.
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

    /// The clock ends tokens without any change in the store.
    fn check_time(&self) -> Result<()> {
        match self.request.principal.is_expired(self.core.clock.now(), &self.core.expired_tokens) {
            true => Err(Error::Unauthenticated(BAD_CREDENTIALS)),
            false => Ok(()),
        }
    }

    /// Finds caller and resource anew, and makes the decision about them.
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
                let refused = Error::Unauthenticated(NOT_A_JSON_WEB_TOKEN);
                if has_key { Ok(self.request.principal.clone()) } else { Err(refused) }
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
            return Err(Error::Forbidden(Kind::of(&self.request.principal).rejection().into()));
        }
        Ok(())
    }
}
