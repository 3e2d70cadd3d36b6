//! The comment of a path, found before the body is read: what is absent is told before what is wrong.

use axum::extract::FromRequestParts;
use http::request::Parts;

use super::model::Comment;
use super::store;
use crate::api::exchange::Exchange;
use crate::app::App;
use crate::error::{Error, Result};
use crate::ids::CommentId;
use crate::repos;

/// A comment that the caller sees. It stands after the proof of the right in a handler, and so runs after it.
pub struct FoundComment(pub Comment);

impl FromRequestParts<App> for FoundComment {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let exchange = Exchange::of(parts);
        let params = &exchange.params;
        let id = params.number::<CommentId>("comment_id").ok_or(Error::NotFound)?;
        let mut db = app.store.read().await?;
        let repo = repos::store::find(&mut db, params.get("owner"), params.get("repo"), None).await?;
        let repo = repo.ok_or(Error::NotFound)?.repo;
        store::find(&mut db, repo.id, id, exchange.principal.actor()).await?.map(Self).ok_or(Error::NotFound)
    }
}
