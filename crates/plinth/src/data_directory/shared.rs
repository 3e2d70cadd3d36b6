//! Opening a store whose packs are in an object storage.

use std::sync::Arc;

use crate::config::Options;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_core::objects::shared::{PackStorage, identity};
use plinth_core::webhooks::key_file::KeyFile;
use plinth_git::{Repositories, create_directories};
use plinth_store::{Location, ObjectStorage, Schema, Store};

impl Options {
    /// The object storage; `None` if packs are in the data directory.
    pub fn object_storage(&self) -> Result<Option<ObjectStorage>> {
        self.objects.as_deref().map(ObjectStorage::open).transpose()
    }

    /// Fails if there is no database yet and its object storage is not free, before the tables are created: `plinth move` needs
    /// a database without them.
    pub async fn check_new_storage(&self, location: &Location) -> Result<()> {
        let Some(storage) = self.object_storage()? else { return Ok(()) };
        if Store::schema(location).await? != Schema::Absent {
            return Ok(());
        }
        match identity::check_free(&storage).await {
            // Another node has created both meanwhile, the tables first.
            Err(Error::Conflict(_)) if Store::schema(location).await? != Schema::Absent => Ok(()),
            checked => checked,
        }
    }

    /// The packs of this store, if nodes share them. Fails if they are elsewhere.
    pub async fn pack_storage(&self, store: &Store, clock: &Clock) -> Result<Option<Arc<PackStorage>>> {
        let Some(storage) = self.object_storage()? else {
            return match identity::find(&mut store.read().await?).await? {
                Some(known) => Err(Error::Conflict(format!(
                    "the packs of this database are in an object storage: use --objects {}",
                    known.url
                ))),
                None => Ok(None),
            };
        };
        identity::claim(store, &storage).await?;
        self.share_key(store, &storage).await?;
        let packs = PackStorage::new(store.clone(), storage, clock.clone(), self.pack_cache_bytes());
        Ok(Some(Arc::new(packs)))
    }

    /// The key of secrets, which is the same on all servers.
    pub async fn key_of_secrets(&self, store: &Store) -> Result<KeyFile> {
        if let Some(storage) = self.object_storage()? {
            self.share_key(store, &storage).await?;
        }
        Ok(KeyFile::new(self.secrets_key_file()))
    }

    /// A file that is configured is the operator's.
    async fn share_key(&self, store: &Store, storage: &ObjectStorage) -> Result<()> {
        if self.secrets_key_file.is_some() {
            return Ok(());
        }
        create_directories(self.data())?;
        let file = self.secrets_key_file();
        KeyFile::new(file.clone()).read_or_create()?;
        identity::share_key(store, storage, &file).await
    }

    /// The directory of repositories: the only place of their packs, or a cache.
    pub fn repositories_with(&self, packs: Option<&Arc<PackStorage>>) -> Result<Repositories> {
        let repositories = Repositories::at(self.data())?;
        Ok(match packs {
            Some(packs) => repositories.sharing(packs.clone()),
            None => repositories,
        })
    }
}
