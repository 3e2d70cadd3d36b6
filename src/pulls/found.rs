//! Things of a repository that a path names, found before the body is read: what is absent is told before what is wrong.

use std::sync::Arc;

use super::model::PullFacts;
use super::store;
use crate::api::handler::{ApiRequest, FromRequest};
use crate::app::App;
use crate::db::Remembered;
use crate::error::{Error, Result};

/// The pull request of the path. It stands after the proof of the right in a handler, and so runs after it.
pub struct FoundPull(pub Arc<PullFacts>);

/// Pull requests that were found a moment ago, by the address of their repository and their number, as long as none has
/// moved: see [`crate::db::State`].
type KnownPulls = Remembered<(String, i64), Arc<PullFacts>>;

impl FromRequest for FoundPull {
    async fn from_request(request: &mut ApiRequest, app: &App) -> Result<Self> {
        let exchange = request.exchange.clone();
        let params = &exchange.params;
        let number = params.number("pull_number").ok_or(Error::NotFound)?;
        let (owner, name) = (params.get("owner"), params.get("repo"));
        let pulls = exchange.state.map(|state| state.pulls);
        let key = (format!("{owner}/{name}"), number);
        let memory = app.memories.of::<KnownPulls>();
        if let Some(known) = pulls.and_then(|pulls| memory.get(pulls, &key)) {
            return Ok(Self(known));
        }
        let mut db = app.store.read().await?;
        let found = store::find_facts(&mut db, (owner, name), number).await?;
        let found = Arc::new(found.ok_or(Error::NotFound)?);
        if let Some(pulls) = pulls {
            memory.keep(pulls, key, found.clone());
        }
        Ok(Self(found))
    }
}
