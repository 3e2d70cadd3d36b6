//! `plinth restore`: restores a data directory, and a PostgreSQL database if there is one, from a backup.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::files::Copier;
use super::unfinished::Unfinished;
use super::{Manifest, REPOSITORIES, check_database, missing_objects};
use crate::config::Options;
use crate::progress::Progress;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_core::objects::shared::identity;
use plinth_git::Repositories;
use plinth_store::{Location, Snapshot, Store, restore_postgres};

/// Restore a backup into a data directory that does not exist yet
#[derive(Debug, Args)]
pub struct Restore {
    /// The directory of the backup
    directory: PathBuf,
    /// Report progress in lines on standard error, even if it is not a terminal
    #[arg(long)]
    progress: bool,
}

impl Restore {
    pub async fn run(self, options: &Options, out: &mut (dyn Write + Send)) -> Result<()> {
        let (source, data) = (&self.directory, options.data());
        let manifest = Manifest::read(source)?;
        check_target(&manifest, options)?;
        let copy = Unfinished::create(data)?;
        let mut progress = Progress::new("restored", self.progress);
        progress.expect(manifest.total_size());
        let mut copier = Copier::new(copy.path(), &mut progress);
        for (path, entry) in &manifest.files {
            copier.copy_verified(source, path, entry)?;
        }
        check_database(copy.path(), &manifest.database)?;
        let repositories = Repositories::at(copy.path())?;
        for repo in &manifest.repositories {
            repositories.complete(RepoId(*repo))?;
        }
        let missing = self.fill_database(options, &manifest, copy.path()).await?;
        copy.finish(data)?;
        progress.end();
        writeln!(out, "restored {} into {}: {manifest}", source.display(), data.display())?;
        match missing.as_slice() {
            [] => Ok(()),
            missing => Err(Error::Conflict(format!(
                "the whole backup was restored, but it is of a damaged store:\n{}",
                missing.join("\n")
            ))),
        }
    }

    /// Fills a PostgreSQL database, and returns a message for each object that the database names and that is missing.
    async fn fill_database(&self, options: &Options, manifest: &Manifest, copy: &Path) -> Result<Vec<String>> {
        let mut snapshot = match (&options.database, manifest.database.sqlite_file()) {
            (None, Some(file)) => Snapshot::of_file(&copy.join(file))?,
            (Some(url), _) => {
                restore_postgres(url, &manifest.database, copy, &mut |_| {}).await?;
                manifest.database.remove_files(copy)?;
                let location = Location::Postgres { url: url.clone(), connections_max: 2, epoch_file: None };
                // The packs are in the data directory now. From there, plinth move copies them to an object storage.
                identity::detach(&Store::open(&location).await?).await?;
                Snapshot::open(&Location::Postgres { url: url.clone(), connections_max: 1, epoch_file: None }).await?
            }
            (None, None) => return Err(Error::BadRequest("the backup has no SQLite database".into())),
        };
        missing_objects(snapshot.db(), &copy.join(REPOSITORIES)).await
    }
}

/// Existing data is never overwritten.
fn check_target(manifest: &Manifest, options: &Options) -> Result<()> {
    let data = options.data();
    if options.objects.is_some() {
        return Err(Error::BadRequest(
            "restore without --objects, into a data directory; plinth move copies its packs to an object storage"
                .into(),
        ));
    }
    let is_empty = || std::fs::read_dir(data).is_ok_and(|mut entries| entries.next().is_none());
    if data.exists() && !is_empty() {
        let data = data.display();
        return Err(Error::BadRequest(format!("{data} exists already; restore into a new directory")));
    }
    let (backup_is_sqlite, target_is_sqlite) = (manifest.database.sqlite_file().is_some(), options.database.is_none());
    match (backup_is_sqlite, target_is_sqlite) {
        (true, false) => Err(Error::BadRequest("this is a backup of SQLite; restore it without --database".into())),
        (false, true) => Err(Error::BadRequest(
            "this is a backup of PostgreSQL; restore it with --database and the URL of an empty database".into(),
        )),
        (true, true) | (false, false) => Ok(()),
    }
}
