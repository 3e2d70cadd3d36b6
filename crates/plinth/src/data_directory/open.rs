//! Opening the store and the repositories that the options name.

use std::path::PathBuf;

use super::lock::DataLock;
use crate::config::{Options, Synchronous};
use crate::permissions;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_git::{Repositories, create_directories};
use plinth_store::{Durability, Location, Node, Schema, Store};

const DATABASE_FILE: &str = "plinth.db";
/// Which PostgreSQL server was used last.
const EPOCH_FILE: &str = "database-epoch";

impl Options {
    /// The location of the store. Creates the data directory if SQLite needs it.
    pub fn location(&self, durability: Durability) -> Result<Location> {
        if self.database.is_none() {
            let data = self.data();
            create_directories(data)
                .map_err(|error| Error::BadRequest(format!("the data directory {}: {error}", data.display())))?;
            permissions::tighten(data);
        }
        Ok(self.location_with(durability))
    }

    /// The location of the store, which may not exist. Creates nothing.
    pub fn existing_location(&self) -> Location {
        self.location_with(Durability::PowerCut)
    }

    fn location_with(&self, durability: Durability) -> Location {
        match &self.database {
            Some(url) => Location::Postgres {
                url: url.clone(),
                connections_max: self.database_connections(),
                epoch_file: Some(self.data().join(EPOCH_FILE)),
            },
            None => {
                let durability = self.dev_synchronous.map_or(durability, Synchronous::durability);
                Location::Sqlite { file: self.database_file(), durability }
            }
        }
    }

    fn database_file(&self) -> PathBuf {
        self.data().join(DATABASE_FILE)
    }

    /// Opens the store for a command, which may run while a server does. Only the owner of the data directory creates a
    /// store or migrates its schema, so that is done under the lock.
    pub async fn open_store(&self) -> Result<Store> {
        let location = self.location(Durability::PowerCut)?;
        if matches!(Store::schema(&location).await?, Schema::Current | Schema::Newer(_)) {
            return Store::open(&location).await;
        }
        let lock = DataLock::take(self.data(), self.node()?)?;
        drop(self.open_as(&location, lock.node()).await?);
        Store::open(&location).await
    }

    /// Opens the store as a server does: alone, or as one of several if they share packs.
    pub async fn open_as(&self, location: &Location, node: &Node) -> Result<Store> {
        match self.object_storage()? {
            Some(_) => Store::open_shared(location, node).await,
            None => Store::open_as(location, node).await,
        }
    }

    /// The directory of Git repositories, or of copies of their packs.
    pub async fn open_repositories(&self, store: &Store) -> Result<Repositories> {
        let packs = self.pack_storage(store, &Clock::default()).await?;
        if packs.is_none() {
            store.check_node(|| self.node()).await?;
        }
        let unopened = |error| Error::BadRequest(format!("the data directory {}: {error}", self.data().display()));
        let repositories = self.repositories_with(packs.as_ref()).map_err(unopened)?;
        permissions::tighten(self.data());
        Ok(repositories)
    }
}
