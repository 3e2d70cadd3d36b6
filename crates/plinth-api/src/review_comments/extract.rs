//! The comment that a path names. It is looked up before the body is read, so that 404 takes precedence over 422.

use crate::app::App;
use crate::request::handler::{ApiRequest, FromRequest};
use plinth_base::error::{Error, Result};
use plinth_base::ids::CommentId;
use plinth_core::review_comments::store;

/// A comment that the caller may see. As a handler's parameter it comes after the proof of the right, and so runs after
/// it.
pub struct FoundComment(pub CommentId);

impl FromRequest for FoundComment {
    async fn from_request(request: &mut ApiRequest, app: &App) -> Result<Self> {
        let context = request.context.clone();
        let params = &context.params;
        let id = params.number::<CommentId>("comment_id").ok_or(Error::NotFound)?;
        let repo = (params.get("owner"), params.get("repo"));
        let mut db = app.read().await?;
        let exists = store::exists_at(&mut db, repo, id, context.principal.actor()).await?;
        exists.then_some(Self(id)).ok_or(Error::NotFound)
    }
}
