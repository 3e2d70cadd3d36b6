//! Pull requests that were looked up a moment ago.

use std::sync::Arc;

use plinth_base::error::{Error, Result};
use plinth_store::{GenerationCache, Generations};

use super::model::PullFacts;
use super::store;
use crate::Core;

/// By the owner, the name and the number that the caller wrote. An entry holds until the generation of pull requests
/// moves.
pub type PullCache = GenerationCache<(String, i64), Arc<PullFacts>>;

/// The pull request of this number, from the cache where that is possible.
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
