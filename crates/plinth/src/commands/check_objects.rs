//! Checks an object storage: that it responds, that it belongs to the database, and that it has every pack.

use std::collections::HashMap;

use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_core::objects;
use plinth_core::objects::shared::{self, identity};
use plinth_store::{ObjectStorage, Store, StoredValue};

const REPOS_PER_BATCH: i64 = 1_000;
/// Enough to see the extent of the damage.
const REPORTED_MAX: usize = 100;

pub async fn check(store: &Store, storage: &ObjectStorage) -> Result<()> {
    let mut db = store.read().await?;
    if identity::find(&mut db).await?.is_none() {
        return Err(Error::Conflict(
            "the packs of this database are in a data directory: omit --objects, or use plinth move".into(),
        ));
    }
    drop(db);
    identity::claim(store, storage).await?;
    storage.check()?;
    let mut stored = HashMap::new();
    let collect = |value: StoredValue| {
        stored.insert(value.key, value.bytes);
    };
    storage.list(shared::PACKS, collect).await?;
    let (mut damage, mut after) = (Vec::new(), RepoId(0));
    loop {
        let batch = objects::store::list_repos(&mut store.read().await?, after, REPOS_PER_BATCH).await?;
        let Some(last) = batch.last() else { break };
        after = last.repo;
        for listed in batch {
            for shared::store::PackRow(pack) in shared::store::list(&mut store.read().await?, listed.repo).await? {
                for (extension, bytes) in [("pack", pack.pack_bytes), ("idx", pack.index_bytes)] {
                    let key = format!("{}.{extension}", pack.key);
                    match stored.get(&key) {
                        Some(found) if *found == bytes => {}
                        Some(found) => damage.push(format!("{key} has {found} bytes instead of {bytes}")),
                        None => damage.push(format!("{key} of repository {} is missing", listed.repo)),
                    }
                }
            }
        }
    }
    if damage.is_empty() {
        return Ok(());
    }
    damage.truncate(REPORTED_MAX);
    Err(Error::Conflict(format!("packs in {} are damaged:\n{}", storage.url(), damage.join("\n"))))
}
