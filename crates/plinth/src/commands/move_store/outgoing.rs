//! From a data directory to PostgreSQL and an object storage.
//!
//! If the command is interrupted, it continues when it runs again: the database is copied in one transaction, and a pack that was
//! copied has a row.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use super::verification::verify;
use crate::backup::missing_objects;
use crate::config::Options;
use crate::data_directory::DataLock;
use crate::progress::Progress;
use crate::verify::{AfterCheck, Checks};
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_core::objects::shared::prepared::{self, Prepared};
use plinth_core::objects::shared::{PackStorage, Published, identity, store as packs};
use plinth_core::webhooks::key_file;
use plinth_git::Repositories;
use plinth_store::{Durability, ObjectStorage, Schema, Store, copy_to_postgres};

const DATABASE_FILE: &str = "plinth.db";

pub struct Outgoing {
    /// With a SQLite database, or the packs of the PostgreSQL database.
    pub from: PathBuf,
    pub progress: bool,
}

impl Outgoing {
    pub async fn run(
        self,
        options: Options,
        (url, storage): (String, ObjectStorage),
        out: &mut (dyn Write + Send),
    ) -> Result<()> {
        let options = Options { data: Some(self.from.clone()), ..options };
        let file = self.from.join(DATABASE_FILE);
        if !self.from.join("repositories").is_dir() && !file.is_file() {
            return Err(Error::BadRequest(format!("there is no store in {}", self.from.display())));
        }
        let lock = DataLock::take(&self.from, options.node()?)?;
        if file.is_file() {
            self.copy_database(&options, &url, out).await?;
        }
        let store = Store::open_as(&options.location(Durability::PowerCut)?, lock.node()).await?;
        let missing = missing_objects(&mut store.read().await?, &self.from.join("repositories")).await?;
        if !missing.is_empty() {
            return Err(Error::Conflict(format!("the source is damaged:\n{}", missing.join("\n"))));
        }
        let identity = identity::begin_move(&store, &storage).await?;
        let copied = self.copy_packs(&store, &storage).await?;
        let (Copied { repos, stored, prepared, .. }, url) = (&copied, storage.url());
        writeln!(out, "copied {stored} packs of {repos} repositories to {url}, and {prepared} were prepared")?;
        let key = self.from.join(key_file::FILE_NAME);
        if key.is_file() && options.secrets_key_file.is_none() {
            identity::share_key(&store, &storage, &key).await?;
        }
        self.verify((&store, &storage), copied.trusted, out).await?;
        identity::finish_move(&store, identity).await?;
        prepared::end(&storage).await?;
        writeln!(out, "moved: start servers with the same --database and --objects, each with its own empty --data")?;
        Ok(())
    }

    /// Reads the packs back from the storage, one repository after another, next to the source.
    async fn verify(
        &self,
        (store, storage): (&Store, &ObjectStorage),
        trusted: BTreeSet<RepoId>,
        out: &mut (dyn Write + Send),
    ) -> Result<()> {
        let source = std::path::absolute(&self.from)?;
        let copies = tempfile::Builder::new().prefix(".plinth-move-").tempdir_in(source.parent().unwrap_or(&source))?;
        let packs = Arc::new(PackStorage::new(store.clone(), storage.clone(), Clock::default(), u64::MAX));
        let repositories = Arc::new(Repositories::at(copies.path())?.sharing(packs));
        if !trusted.is_empty() {
            writeln!(out, "{} repositories were read back when they were prepared", trusted.len())?;
        }
        let checks = Checks { after_check: AfterCheck::Evict, trusted, ..Checks::default() };
        verify(store, &repositories, &checks, self.progress, out).await
    }

    /// Copies the tables, unless an earlier attempt has.
    async fn copy_database(&self, options: &Options, url: &str, out: &mut (dyn Write + Send)) -> Result<()> {
        let (location, own) = (options.existing_location(), Options { database: None, ..options.clone() });
        if Store::schema(&location).await? == Schema::Absent {
            // Of this version, and with an empty log.
            let source = Store::open(&own.existing_location()).await?;
            drop(source);
            let name = plinth_core::tokens::random_text(16);
            let rows =
                copy_to_postgres(&self.from.join(DATABASE_FILE), url, (identity::MOVING, name.as_bytes())).await?;
            writeln!(out, "copied {rows} rows")?;
            return Ok(());
        }
        let store = Store::open(&location).await?;
        let mut db = store.read().await?;
        if identity::is_moving(&mut db).await? {
            writeln!(out, "the rows were copied before")?;
            return Ok(());
        }
        Err(Error::Conflict("the database has tables already; move into an empty one".into()))
    }

    /// Copies the packs of all repositories that are not copied yet.
    async fn copy_packs(&self, store: &Store, storage: &ObjectStorage) -> Result<Copied> {
        let source = Repositories::at(&self.from)?;
        let target = PackStorage::new(store.clone(), storage.clone(), Clock::default(), u64::MAX);
        let target = Arc::new(target.with_prepared(unused_packs(store, storage).await?));
        let mut progress = Progress::new("copied", self.progress);
        let directories = source.list_directories()?;
        progress.expect(directories.iter().map(|(repo, _)| source.directory_bytes(*repo)).sum());
        let mut copied = Copied::default();
        for (repo, _) in directories {
            let (directory, target, bytes) =
                (source.pack_directory(repo), target.clone(), source.directory_bytes(repo));
            let publish = move || target.publish_all(repo, &directory);
            let published = tokio::task::spawn_blocking(publish).await;
            match published.map_err(|error| Error::internal(error.to_string()))? {
                // The directory of a repository that is being deleted.
                Err(Error::NotFound) => {}
                published => copied.add(repo, published?),
            }
            progress.add(bytes);
        }
        progress.end();
        Ok(copied)
    }
}

/// How many packs of how many repositories were copied.
#[derive(Debug, Default)]
struct Copied {
    repos: u64,
    stored: u64,
    prepared: u64,
    /// Repositories all of whose packs were prepared, and so read back from the storage.
    trusted: BTreeSet<RepoId>,
}

impl Copied {
    fn add(&mut self, repo: RepoId, Published { stored, prepared, known }: Published) {
        self.repos += 1;
        self.stored += stored;
        self.prepared += prepared;
        if stored == 0 && known == 0 && prepared > 0 {
            self.trusted.insert(repo);
        }
    }
}

/// The packs in a storage that no row names.
async fn unused_packs(store: &Store, storage: &ObjectStorage) -> Result<Prepared> {
    let mut prepared = Prepared::list(storage).await?;
    for key in packs::list_keys(&mut store.read().await?).await? {
        prepared.forget(&key);
    }
    Ok(prepared)
}
