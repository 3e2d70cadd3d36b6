//! The comment context: what a new comment needs to know about its pull request and its author. It is loaded before the
//! transaction, and the transaction uses it if pull requests have not changed since.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, PullId};
use plinth_store::{GenerationCache, Generations, Transaction};

use super::model::CommentContext;
use super::store;
use crate::Core;

/// Comment contexts by pull request and author; an entry is valid for one generation of pull requests, so it never
/// outlives a new version, a new contributor or a change of rights.
pub type CommentContextCache = GenerationCache<(PullId, AccountId), Arc<CommentContext>>;

/// A comment context with the generation of pull requests in which it was read.
#[derive(Debug, Clone)]
pub struct CachedCommentContext {
    generation: u64,
    context: Arc<CommentContext>,
}

impl CachedCommentContext {
    /// `None` if the generation is unknown, because the transaction could not compare it.
    pub async fn load(
        core: &Core,
        generations: Option<Generations>,
        pull: PullId,
        author: AccountId,
    ) -> Result<Option<Self>> {
        let Some(generation) = generations.map(|generations| generations.pulls) else { return Ok(None) };
        if let Some(context) = core.comment_context_cache.get(generation, &(pull, author)) {
            return Ok(Some(Self { generation, context }));
        }
        let found = store::find_comment_context(&mut core.read().await?, pull, author).await?;
        let context = Arc::new(found.ok_or(Error::NotFound)?);
        core.comment_context_cache.keep(generation, (pull, author), context.clone());
        Ok(Some(Self { generation, context }))
    }
}

/// The cached context if it is still valid inside the transaction, otherwise a new one.
pub async fn resolve(
    tx: &mut Transaction,
    cached: Option<&CachedCommentContext>,
    pull: PullId,
    author: AccountId,
) -> Result<Arc<CommentContext>> {
    let now = tx.generations_inside().map(|generations| generations.pulls);
    match cached.filter(|cached| Some(cached.generation) == now) {
        Some(cached) => Ok(cached.context.clone()),
        None => store::find_comment_context(tx, pull, author).await?.map(Arc::new).ok_or(Error::NotFound),
    }
}
