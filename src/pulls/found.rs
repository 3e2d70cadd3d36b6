//! Things of a repository that a path names, found before the body is read: what is absent is told before what is wrong.

use axum::extract::FromRequestParts;
use http::request::Parts;

use super::model::PullFacts;
use super::store;
use crate::api::exchange::Exchange;
use crate::app::App;
use crate::error::{Error, Result};

/// The pull request of the path. It stands after the proof of the right in a handler, and so runs after it.
pub struct FoundPull(pub PullFacts);

impl FromRequestParts<App> for FoundPull {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let exchange = Exchange::of(parts);
        let params = &exchange.params;
        let number = params.number("pull_number").ok_or(Error::NotFound)?;
        let mut db = app.store.read().await?;
        let found = store::find_facts(&mut db, (params.get("owner"), params.get("repo")), number).await?;
        found.map(Self).ok_or(Error::NotFound)
    }
}
