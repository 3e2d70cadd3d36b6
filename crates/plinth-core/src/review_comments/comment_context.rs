//! The comment context: what a new comment needs to know about its pull request and its author. It is loaded before the
//! transaction, and the transaction uses it if pull requests have not changed since.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, PullId, RepoId};
use plinth_store::{Dependency, GenerationCache, Generations, Store, Transaction};

use super::model::CommentContext;
use super::store;
use crate::Core;
use crate::caches::{CacheName, DisabledCaches};

/// Comment contexts by pull request and author; an entry is valid until a pull request or a contributor of the
/// repository or rights change.
pub type CommentContextCache = GenerationCache<(PullId, AccountId), Arc<CommentContext>>;

const BYTES_MAX: usize = 8 << 20;

pub fn new_comment_context_cache(store: &Store, disabled: &DisabledCaches) -> CommentContextCache {
    let bytes = disabled.capacity(CacheName::CommentContexts, BYTES_MAX);
    GenerationCache::new(store.generation_table().clone(), bytes, |_, context| {
        let login = context.author.account.as_ref().map_or(0, |account| account.login.len());
        size_of::<CommentContext>() + login
    })
}

/// A comment context that was valid when the request began.
#[derive(Debug, Clone)]
pub struct CachedCommentContext {
    generations: Generations,
    repo: RepoId,
    context: Arc<CommentContext>,
}

impl CachedCommentContext {
    /// `None` if the generations are unknown, because the transaction could not compare them.
    pub async fn load(
        core: &Core,
        generations: Option<Generations>,
        repo: RepoId,
        (pull, author): (PullId, AccountId),
    ) -> Result<Option<Self>> {
        let Some(generations) = generations else { return Ok(None) };
        if let Some(context) = core.comment_context_cache.get(&(pull, author)) {
            return Ok(Some(Self { generations, repo, context }));
        }
        let found = store::find_comment_context(&mut core.read().await?, pull, author).await?;
        let context = Arc::new(found.ok_or(Error::NotFound)?);
        let dependency = Dependency::Pulls(repo);
        core.comment_context_cache.insert(generations, dependency, (pull, author), context.clone());
        Ok(Some(Self { generations, repo, context }))
    }
}

/// The cached context if it is still valid inside the transaction, otherwise a new one.
pub async fn resolve(
    tx: &mut Transaction,
    cached: Option<&CachedCommentContext>,
    pull: PullId,
    author: AccountId,
) -> Result<Arc<CommentContext>> {
    let is_valid =
        |cached: &&CachedCommentContext| tx.is_unchanged(Some(cached.generations), Dependency::Pulls(cached.repo));
    match cached.filter(is_valid) {
        Some(cached) => Ok(cached.context.clone()),
        None => store::find_comment_context(tx, pull, author).await?.map(Arc::new).ok_or(Error::NotFound),
    }
}
