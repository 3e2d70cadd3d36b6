//! The cache of pull requests.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_store::{Dependency, GenerationCache, Generations, Store};

use super::model::PullFacts;
use super::store;
use crate::Core;
use crate::caches::{CacheName, DisabledCaches};

/// Pull requests by `owner/name` as the caller wrote it and by number; an entry is valid until a
/// pull request of the repository or rights change, so it never outlives a new version or a rename of the repository.
pub type PullCache = GenerationCache<(String, i64), Arc<PullFacts>>;

const BYTES_MAX: usize = 8 << 20;

pub fn new_pull_cache(store: &Store, disabled: &DisabledCaches) -> PullCache {
    let bytes = disabled.capacity(CacheName::Pulls, BYTES_MAX);
    GenerationCache::new(store.generation_table().clone(), bytes, |(name, _), pull| {
        name.len() + size_of::<PullFacts>() + pull.head_ref.len()
    })
}

/// The pull request with this number, from the cache if possible. `generations` are from before this call.
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
    let look_up = async { Ok::<_, Error>(store::find_facts(&mut core.read().await?, (owner, name), number).await?) };
    // Boxed, because every handler would contain a copy of it otherwise.
    let found = Box::pin(look_up).await?;
    let found = Arc::new(found.ok_or(Error::NotFound)?);
    if let Some(generations) = generations {
        core.pull_cache.insert(generations, Dependency::Pulls(found.repo_id), key, found.clone());
    }
    Ok(found)
}
