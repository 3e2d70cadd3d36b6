//! Things of a repository that a path names, found before the body is read: what is absent is told before what is wrong.

use plinth_core::pulls::find_cached;
use std::sync::Arc;

use crate::app::App;
use crate::request::handler::{ApiRequest, FromRequest};
use plinth_base::error::{Error, Result};
use plinth_core::pulls::model::PullFacts;

/// The pull request of the path. It stands after the proof of the right in a handler, and so runs after it.
pub struct FoundPull(pub Arc<PullFacts>);

impl FromRequest for FoundPull {
    async fn from_request(request: &mut ApiRequest, app: &App) -> Result<Self> {
        let context = request.context.clone();
        let params = &context.params;
        let number = params.number("pull_number").ok_or(Error::NotFound)?;
        let repo = (params.get("owner"), params.get("repo"));
        find_cached(app, context.generations, repo, number).await.map(Self)
    }
}
