//! What a new comment stands on: found before its transaction, and used in it while it still holds.

use std::sync::Arc;

use super::model::Ground;
use super::store;
use crate::api::exchange::Exchange;
use crate::app::App;
use crate::db::{Remembered, Transaction};
use crate::error::{Error, Result};
use crate::ids::{AccountId, PullId};

/// By a pull request and whoever comments on it, as long as no pull request has moved: see [`crate::db::State`].
type KnownGrounds = Remembered<(PullId, AccountId), Arc<Ground>>;

/// A ground and the moment of which it is.
#[derive(Debug, Clone)]
pub struct Footing {
    pulls: u64,
    ground: Arc<Ground>,
}

impl Footing {
    /// Nothing where the store could not tell later whether it still holds.
    pub async fn find(app: &App, exchange: &Exchange, pull: PullId, author: AccountId) -> Result<Option<Self>> {
        let Some(pulls) = exchange.state.map(|state| state.pulls) else { return Ok(None) };
        let memory = app.memories.of::<KnownGrounds>();
        if let Some(ground) = memory.get(pulls, &(pull, author)) {
            return Ok(Some(Self { pulls, ground }));
        }
        let found = store::find_ground(&mut app.store.read().await?, pull, author).await?;
        let ground = Arc::new(found.ok_or(Error::NotFound)?);
        memory.keep(pulls, (pull, author), ground.clone());
        Ok(Some(Self { pulls, ground }))
    }
}

/// The ground as it is inside of a transaction.
pub async fn get(
    tx: &mut Transaction,
    footing: Option<&Footing>,
    pull: PullId,
    author: AccountId,
) -> Result<Arc<Ground>> {
    let now = tx.state_inside().map(|state| state.pulls);
    match footing.filter(|footing| Some(footing.pulls) == now) {
        Some(footing) => Ok(footing.ground.clone()),
        None => store::find_ground(tx, pull, author).await?.map(Arc::new).ok_or(Error::NotFound),
    }
}
