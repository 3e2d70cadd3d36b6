//! The cache of refs by name (docs/decisions/0185-refs-in-memory.md).

use plinth_base::ids::{RefName, RepoId};
use plinth_store::{GenerationCache, Generations, Store};

use super::dependencies::on_ref;
use super::{Ref, Target, store};
use crate::Core;
use crate::caches::{CacheName, DisabledCaches};
use plinth_base::error::Result;

/// What each ref points at. An entry is valid until its ref may have changed, and is found only by those whose right to read the repository
/// was decided before.
pub type RefCache = GenerationCache<(RepoId, RefName), Target>;

const BYTES_MAX: usize = 16 << 20;

pub fn new_ref_cache(store: &Store, disabled: &DisabledCaches) -> RefCache {
    let bytes = disabled.capacity(CacheName::Refs, BYTES_MAX);
    GenerationCache::new(store.generation_table().clone(), bytes, |(_, name), _| {
        size_of::<(RepoId, RefName)>() + size_of::<Target>() + name.as_str().len()
    })
}

/// The ref with this name, if it is in the cache.
pub fn find_cached(core: &Core, generations: Option<Generations>, repo: RepoId, name: &RefName) -> Option<Ref> {
    let target = generations.and_then(|_| core.ref_cache.get(&(repo, name.clone())))?;
    Some(Ref::at(name, target))
}

/// The ref with this name, which the cache does not have. `generations` are from before this call.
pub async fn find_and_cache(
    core: &Core,
    generations: Option<Generations>,
    repo: RepoId,
    name: &RefName,
) -> Result<Option<Ref>> {
    let found = store::find(&mut core.read().await?, repo, name).await?;
    if let Some(found) = &found {
        add_to_cache(core, generations, repo, found);
    }
    Ok(found)
}

/// Adds a ref that was read or written as of these generations.
pub(crate) fn add_to_cache(core: &Core, generations: Option<Generations>, repo: RepoId, found: &Ref) {
    if let Some(generations) = generations {
        let target = Target { sha: found.target, kind: found.kind };
        core.ref_cache.insert(generations, on_ref(repo, &found.name), (repo, found.name.clone()), target);
    }
}
