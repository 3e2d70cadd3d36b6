//! Packs that all nodes share: files in an object storage, named by rows of the database. A node's directory of repositories is
//! a cache of them.
//!
//! A pack is durable in the storage before a row names it, and its row is committed before anything refers to its objects.
//! Keys are never used twice, so a file that is being deleted is never the one that somebody has just stored.

mod cache;
mod files;
pub mod identity;
pub mod prepared;
mod removal;
pub mod store;
mod verified;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Weak};

use futures_util::{StreamExt, TryStreamExt, stream};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::store as objects;
use cache::Usage;
pub use files::{PACKS, fetch_pack, has_pack};
use files::{files_of, keys_of, new_key};
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_git::{SharedPack, SharedPacks};
use plinth_store::{Fingerprint, ObjectStorage, Store, fingerprint, internal_authority};
use prepared::Prepared;
pub use removal::{Removals, remove_all};
use store::PackRow;
use verified::Verified;

/// Packs that are fetched at the same time for one repository.
const FETCHES_MAX: usize = 4;
/// How often the list of packs is read again because one of them was replaced meanwhile.
const LISTINGS_MAX: usize = 5;
/// From this size on, the locks that nobody has are removed.
const LOCKS_MAX: usize = 1_024;
internal_authority!(
    /// Adds a pack whose objects nothing refers to yet.
    Publication = "objects/publish-pack", in_repo
);

/// The packs of all repositories in an object storage.
pub struct PackStorage {
    store: Store,
    storage: ObjectStorage,
    runtime: Handle,
    clock: Clock,
    verified: Verified,
    usage: Usage,
    /// Held by whoever adds files to a repository on this disk, or removes them.
    locks: Mutex<HashMap<RepoId, Weak<Mutex<()>>>>,
    /// Notified when the cache has grown.
    grown: Notify,
    /// Packs that need not be stored again.
    prepared: Mutex<Prepared>,
}

/// What was added to a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Published {
    /// Packs that were stored.
    pub stored: u64,
    /// Packs that were in the storage before.
    pub prepared: u64,
    /// Packs that had a row before.
    pub known: u64,
}

impl PackStorage {
    /// Call this inside a runtime, on which requests to the storage run.
    pub fn new(store: Store, storage: ObjectStorage, clock: Clock, cache_bytes_max: u64) -> Self {
        Self {
            store,
            storage,
            runtime: Handle::current(),
            clock,
            verified: Verified::default(),
            usage: Usage::new(cache_bytes_max),
            locks: Mutex::default(),
            grown: Notify::new(),
            prepared: Mutex::default(),
        }
    }

    /// Packs with the same content as these are not stored again.
    #[must_use]
    pub fn with_prepared(self, prepared: Prepared) -> Self {
        Self { prepared: Mutex::new(prepared), ..self }
    }

    pub fn storage(&self) -> &ObjectStorage {
        &self.storage
    }

    /// Everyone who changes the files of a repository on this disk holds this lock, so each pack is fetched once.
    fn lock_of(&self, repo: RepoId) -> Arc<Mutex<()>> {
        let mut locks = self.locks.lock();
        if let Some(lock) = locks.get(&repo).and_then(Weak::upgrade) {
            return lock;
        }
        if locks.len() >= LOCKS_MAX {
            locks.retain(|_, lock| lock.strong_count() > 0);
        }
        let lock = Arc::default();
        locks.insert(repo, Arc::downgrade(&lock));
        lock
    }

    async fn list(&self, repo: RepoId) -> Result<Vec<SharedPack>> {
        let rows = store::list(&mut self.store.read().await?, repo).await?;
        Ok(rows.into_iter().map(|PackRow(pack)| pack).collect())
    }

    /// Fetches packs, and returns whether all of them exist.
    async fn fetch_all(&self, missing: &[SharedPack], directory: &Path) -> Result<bool> {
        let fetches = stream::iter(missing).map(|pack| self.fetch(pack, directory)).buffer_unordered(FETCHES_MAX);
        fetches.try_fold(true, async |all, is_there| Ok(all && is_there)).await
    }

    async fn fetch(&self, pack: &SharedPack, directory: &Path) -> Result<bool> {
        let is_there = fetch_pack(&self.storage, pack, directory).await?;
        if is_there {
            for (extension, _) in files_of(pack) {
                self.verified.insert(&directory.join(format!("{}.{extension}", pack.name)));
            }
        }
        Ok(is_there)
    }

    /// Adds the packs of a directory to a repository that does not have them. Blocks.
    pub fn publish_all(&self, repo: RepoId, pack_directory: &Path) -> Result<Published> {
        let known: Vec<String> = self.runtime.block_on(self.list(repo))?.into_iter().map(|pack| pack.name).collect();
        let mut published = Published::default();
        for entry in std::fs::read_dir(pack_directory)? {
            let path = entry?.path();
            let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
            let Some(name) = name.filter(|_| path.extension().is_some_and(|extension| extension == "idx")) else {
                continue;
            };
            if known.contains(&name) {
                published.known += 1;
                continue;
            }
            let (pack, is_prepared) = self.find_or_upload(&path)?;
            self.insert(repo, pack)?;
            *(if is_prepared { &mut published.prepared } else { &mut published.stored }) += 1;
        }
        Ok(published)
    }

    /// The packs that a directory lacks, or has a damaged copy of.
    fn missing(&self, packs: Vec<SharedPack>, directory: &Path) -> Vec<SharedPack> {
        let is_missing = |pack: &SharedPack| {
            let is_intact = |(extension, expected): &(&str, Fingerprint)| {
                self.verified.check(&directory.join(format!("{}.{extension}", pack.name)), expected)
            };
            !files_of(pack).iter().all(is_intact)
        };
        packs.into_iter().filter(is_missing).collect()
    }

    /// Stores a pack, unless it is one of those that are there; returns whether it was.
    fn find_or_upload(&self, index: &Path) -> Result<(SharedPack, bool)> {
        let (pack, index_file) = (fingerprint(&index.with_extension("pack"))?, fingerprint(index)?);
        let name = index.file_stem().map(|name| name.to_string_lossy().into_owned());
        let name = name.ok_or_else(|| Error::internal("a pack has no name"))?;
        let prepared = self.prepared.lock().take(&pack, &index_file);
        let is_prepared = prepared.is_some();
        let key = match prepared {
            Some(key) => key,
            None => {
                let key = new_key(&pack)?;
                let [pack_key, index_key] = keys_of(&key);
                self.runtime.block_on(async {
                    self.storage.put_file(&pack_key, &index.with_extension("pack")).await?;
                    self.storage.put_file(&index_key, index).await
                })?;
                key
            }
        };
        let pack = SharedPack {
            name,
            key,
            pack_bytes: pack.bytes,
            pack_sha256: pack.sha256,
            index_bytes: index_file.bytes,
            index_sha256: index_file.sha256,
        };
        Ok((pack, is_prepared))
    }

    /// Adds the row of a pack that is in the storage.
    fn insert(&self, repo: RepoId, pack: SharedPack) -> Result<()> {
        let context = (repo, pack, self.clock.now());
        let written = self.store.write(Publication(repo), context, |tx, (repo, pack, now)| {
            Box::pin(async move {
                if !objects::exists(tx, *repo).await? {
                    return Err(Error::NotFound);
                }
                Ok(store::insert(tx, *repo, pack, *now).await?)
            })
        });
        self.runtime.block_on(written)
    }
}

impl SharedPacks for PackStorage {
    fn upload(&self, index: &Path) -> Result<SharedPack> {
        Ok(self.find_or_upload(index)?.0)
    }

    fn publish(&self, repo: RepoId, index: &Path) -> Result<()> {
        self.insert(repo, self.find_or_upload(index)?.0)
    }

    fn complete(&self, repo: RepoId, pack_directory: &Path) -> Result<bool> {
        let lock = self.lock_of(repo);
        let _turn = lock.lock();
        let mut has_fetched = false;
        for _ in 0..LISTINGS_MAX {
            let packs = self.runtime.block_on(self.list(repo))?;
            self.usage.touch(repo, packs.iter().map(|pack| pack.pack_bytes + pack.index_bytes).sum());
            let missing = self.missing(packs, pack_directory);
            if missing.is_empty() {
                return Ok(has_fetched);
            }
            has_fetched = true;
            let bytes: u64 = missing.iter().map(|pack| pack.pack_bytes).sum();
            tracing::debug!(%repo, packs = missing.len(), bytes, "fetching packs");
            self.grown.notify_one();
            if self.runtime.block_on(self.fetch_all(&missing, pack_directory))? {
                return Ok(true);
            }
            // A pack was replaced and deleted since the list was read, so the next list does not have it.
        }
        Err(Error::Unavailable(format!("{} lacks packs of repository {repo}", self.storage.url())))
    }

    fn distrust(&self, repo: RepoId) {
        tracing::error!(%repo, "a pack on this disk is damaged; it is fetched again");
        self.verified.clear();
    }
}
