//! The cache of pull requests that changes to them need.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_store::{Dependency, GenerationCache, Generations, Store};

use super::model::PullFacts;
use super::store;
use crate::Core;

const BYTES_MAX: usize = 8 << 20;

/// By owner and name as the caller wrote them, and by number. Entries are valid until the pull requests of the repository
/// change: see [`Dependency::Pulls`].
pub type PullCache = GenerationCache<(String, i64), Arc<PullFacts>>;

pub fn new_pull_cache(store: &Store) -> PullCache {
    GenerationCache::new(store.generation_table().clone(), BYTES_MAX, |(name, _), pull| {
        name.len() + size_of::<PullFacts>() + pull.head_ref.len()
    })
}

/// The pull request of this number, from the cache where that is possible.
pub async fn find_cached(
    core: &Core,
    generations: Option<Generations>,
    (owner, name): (&str, &str),
    number: i64,
) -> Result<Arc<PullFacts>> {
    let key = (format!("{owner}/{name}"), number);
    if let Some(cached) = generations.and_then(|_| core.pull_cache.get(&key)) {
        return Ok(cached);
    }
    let found = store::find_facts(&mut core.read().await?, (owner, name), number).await?;
    let found = Arc::new(found.ok_or(Error::NotFound)?);
    if let Some(generations) = generations {
        core.pull_cache.insert(generations, Dependency::Pulls(found.repo_id), key, found.clone());
    }
    Ok(found)
}
