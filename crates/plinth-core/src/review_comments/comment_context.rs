//! What a new comment needs to know about its pull request and its author: found before the transaction, and used in it
//! unless pull requests have changed meanwhile.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, PullId};
use plinth_store::{GenerationCache, Generations, Transaction};

use super::model::CommentContext;
use super::store;
use crate::Core;

/// By pull request and author. An entry holds until the generation of pull requests moves.
pub type CommentContextCache = GenerationCache<(PullId, AccountId), Arc<CommentContext>>;

/// A comment context, and the generation that it is from.
#[derive(Debug, Clone)]
pub struct CachedCommentContext {
    generation: u64,
    context: Arc<CommentContext>,
}

impl CachedCommentContext {
    /// Nothing where the generation is not known, since the transaction could not check it.
    pub async fn find(
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

/// The comment context as it is inside a transaction.
pub async fn get(
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
