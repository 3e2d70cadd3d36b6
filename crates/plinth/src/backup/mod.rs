//! `plinth backup` and `plinth restore`: a copy of a store and its repositories at one point in time.

mod files;
mod manifest;
mod references;
mod restore;
mod shared;
mod unfinished;

pub use manifest::{Manifest, check_files};
pub use references::missing_objects;
pub use restore::Restore;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use files::Copier;
pub use files::create_directory;
pub use unfinished::Unfinished;

use crate::config::Options;
use crate::data_directory::read_node_id;
use crate::progress::Progress;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_core::objects;
use plinth_git::{PackSnapshot, Repositories};
use plinth_store::{Dump, Location, Schema, Snapshot, Store, check_copy};

pub const REPOSITORIES: &str = "repositories";
const REPOS_PER_BATCH: i64 = 1_000;

/// Copy the store, which may be in use, into a new directory
#[derive(Debug, Args)]
pub struct Backup {
    /// The directory to create; it must not exist
    directory: PathBuf,
    /// An earlier backup; unchanged packs are linked from it instead of copied
    #[arg(long, value_name = "DIRECTORY")]
    incremental_from: Option<PathBuf>,
    /// Report progress in lines on standard error, even if it is not a terminal
    #[arg(long)]
    progress: bool,
}

impl Backup {
    pub async fn run(self, options: &Options, out: &mut (dyn Write + Send)) -> Result<()> {
        let location = options.existing_location();
        if Store::schema(&location).await? == Schema::Absent {
            return Err(Error::BadRequest(format!("there is no store in {}", options.data().display())));
        }
        if self.directory.exists() {
            let directory = self.directory.display();
            return Err(Error::BadRequest(format!("{directory} exists already; back up into a new directory")));
        }
        let previous = self.incremental_from.as_deref().map(Manifest::read).transpose()?;
        let copy = Unfinished::create(&self.directory)?;
        let mut progress = Progress::new("backed up", self.progress);
        let storage = options.object_storage()?;
        let (mut snapshot, packs) = match &storage {
            Some(_) => (Snapshot::open(&location).await?, None),
            None => take_snapshot(options, &location).await.map(|(snapshot, packs)| (snapshot, Some(packs)))?,
        };
        shared::check_objects(options, &mut snapshot).await?;
        progress.expect(packs.iter().flat_map(|packs| packs.files()).map(|file| file.size).sum());
        let (dump, database_files) = snapshot.write_to(copy.path(), &mut |bytes| progress.at(bytes)).await?;
        check_database(copy.path(), &dump)?;
        let mut copier = Copier::new(copy.path(), &mut progress);
        for file in &database_files {
            copier.add_existing(file)?;
        }
        let repositories = match (&packs, &storage) {
            (Some(packs), _) => {
                copy_packs(&mut copier, packs, self.incremental_from.as_deref().zip(previous.as_ref()))?;
                repos_of(packs)
            }
            (None, Some(storage)) => {
                let mut fetching = Progress::new("fetched", self.progress);
                let (files, repos) = shared::fetch_packs(storage, &mut snapshot, copy.path(), &mut fetching).await?;
                files.iter().try_for_each(|file| copier.add_existing(file))?;
                repos
            }
            (None, None) => Vec::new(),
        };
        let (files, damaged) = copier.finish();
        let missing = missing_objects(snapshot.db(), &copy.path().join(REPOSITORIES)).await?;
        drop(snapshot);
        let manifest = Manifest::new(dump, repositories, files, Clock::default().now());
        manifest.write(copy.path())?;
        copy.finish(&self.directory)?;
        progress.end();
        writeln!(out, "backed up to {}: {manifest}", self.directory.display())?;
        let key = options.secrets_key_file();
        if key.exists() {
            writeln!(
                out,
                "not in the backup: {}, the key of the secrets of hooks; store a copy elsewhere",
                key.display()
            )?;
        }
        report_damage(&self.directory, &damaged, &missing)
    }
}

/// A damaged store is backed up as it is, and then reported.
fn report_damage(directory: &Path, damaged: &[PathBuf], missing: &[String]) -> Result<()> {
    let damaged = damaged.iter().map(|path| format!("{} is damaged", path.display()));
    let problems: Vec<String> = damaged.chain(missing.iter().cloned()).collect();
    if problems.is_empty() {
        return Ok(());
    }
    let directory = directory.display();
    Err(Error::Conflict(format!("{directory} is complete, but the store is damaged:\n{}", problems.join("\n"))))
}

/// A consistent snapshot of database and packs: no pack is removed until both exist. After that, links preserve the packs.
async fn take_snapshot(options: &Options, location: &Location) -> Result<(Snapshot, PackSnapshot)> {
    let repositories = Repositories::at(options.data())?;
    let removals = repositories.hold_removals()?;
    let mut snapshot = Snapshot::open(location).await?;
    check_node(options, &mut snapshot).await?;
    let repos = list_repos(&mut snapshot).await?;
    let packs = repositories.link_packs(&repos, &removals)?;
    drop(removals);
    Ok((snapshot, packs))
}

/// The repositories that have packs.
fn repos_of(packs: &PackSnapshot) -> Vec<RepoId> {
    let mut repos: Vec<RepoId> = packs.files().iter().map(|file| file.repo).collect();
    repos.dedup();
    repos
}

/// The repositories of a PostgreSQL database are in one data directory, which must be this one.
async fn check_node(options: &Options, snapshot: &mut Snapshot) -> Result<()> {
    if options.database.is_none() {
        return Ok(());
    }
    let Some(node) = snapshot.node().await? else { return Ok(()) };
    if read_node_id(options.data())?.as_deref() == Some(node.id.as_str()) {
        return Ok(());
    }
    let (data, wanted, host) = (options.data().display(), node.data, node.host);
    Err(Error::Conflict(format!("the repositories of this database are in {wanted} on {host}, not in {data}")))
}

/// Every repository that a snapshot has.
pub async fn list_repos(snapshot: &mut Snapshot) -> Result<Vec<RepoId>> {
    let mut repos: Vec<RepoId> = Vec::new();
    loop {
        let after = repos.last().copied().unwrap_or(RepoId(0));
        let batch = objects::store::list_repos(snapshot.db(), after, REPOS_PER_BATCH).await?;
        if batch.is_empty() {
            return Ok(repos);
        }
        repos.extend(batch.iter().map(|repo| repo.repo));
    }
}

/// Checks a copy of SQLite page by page. PostgreSQL checks the pages that it reads by itself.
fn check_database(directory: &Path, dump: &Dump) -> Result<()> {
    match dump.sqlite_file() {
        Some(file) => check_copy(&directory.join(file), dump.schema_version),
        None => Ok(()),
    }
}

fn copy_packs(copier: &mut Copier<'_>, packs: &PackSnapshot, previous: Option<(&Path, &Manifest)>) -> Result<()> {
    for file in packs.files() {
        let path = Path::new(REPOSITORIES).join(&file.path);
        let earlier = previous.and_then(|(directory, manifest)| Some((directory, manifest.find(&path)?)));
        let linked = match earlier {
            Some((directory, earlier)) if earlier.entry.size == file.size => {
                copier.link(directory, earlier, &file.source)?
            }
            Some(_) | None => false,
        };
        if !linked {
            copier.copy_pack(&file.source, &path)?;
        }
    }
    Ok(())
}
