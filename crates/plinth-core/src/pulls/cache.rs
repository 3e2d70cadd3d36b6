//! The cache of pull requests.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_store::{GenerationCache, Generations};

use super::model::PullFacts;
use super::store;
use crate::Core;

/// Pull requests by `owner/name` as the caller wrote it and by number; an entry is valid for one generation of pull
/// requests, so it never outlives a new version, a change of the pull request or a rename of the repository.
pub type PullCache = GenerationCache<(String, i64), Arc<PullFacts>>;

/// The pull request with this number, from the cache if possible. `generations` are from before this call.
pub async fn find_cached(
    core: &Core,
    generations: Option<Generations>,
    (owner, name): (&str, &str),
    number: i64,
) -> Result<Arc<PullFacts>> {
    let generation = generations.map(|generations| generations.pulls);
    let key = (format!("{owner}/{name}"), number);
    if let Some(cached) = generation.and_then(|generation| core.pull_cache.get(generation, &key)) {
        return Ok(cached);
    }
    let found = store::find_facts(&mut core.read().await?, (owner, name), number).await?;
    let found = Arc::new(found.ok_or(Error::NotFound)?);
    if let Some(generation) = generation {
        core.pull_cache.keep(generation, key, found.clone());
    }
    Ok(found)
}
