//! `plinth verify`: checks a store, which may be in use, and repairs what can be derived from intact data.

mod leftovers;
mod report;
mod repository;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use leftovers::Removal;
pub use report::Report;
use report::{Finding, Kind};
use repository::Checker;

use crate::backup::{Manifest, check_files};
use crate::config::Options;
use crate::data_directory::DataLock;
use crate::progress::Progress;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_core::objects;
use plinth_git::Repositories;
use plinth_store::{DbError, Location, Schema, Snapshot, Store, check_copy};

/// Exit code: damage was found.
const DAMAGED: u8 = 1;
/// Exit code: the check itself failed.
const NOT_CHECKED: u8 = 2;
const REPOS_PER_BATCH: i64 = 200;

/// Check the database, every pack and every reference; exits with 1 if something is damaged
#[derive(Debug, Args)]
pub struct Verify {
    /// Repair what can be derived from intact data, and remove leftovers
    #[arg(long)]
    repair: bool,
    /// Write the report as JSON
    #[arg(long)]
    json: bool,
    /// Report progress in lines on standard error, even if it is not a terminal
    #[arg(long)]
    progress: bool,
    /// Check the files of this backup instead
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "repair")]
    backup: Option<PathBuf>,
}

impl Verify {
    pub async fn run(self, options: &Options, out: &mut (dyn Write + Send)) -> ExitCode {
        let written = match self.verify(options).await {
            Ok(report) => report.write(self.json, out).map(|()| report.is_healthy()),
            Err(error) => Err(error),
        };
        match written {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(DAMAGED),
            Err(error) => {
                // If standard error is closed, the exit code is all that can be reported.
                let _ = writeln!(std::io::stderr(), "plinth: could not verify the store: {error}");
                ExitCode::from(NOT_CHECKED)
            }
        }
    }

    async fn verify(&self, options: &Options) -> Result<Report> {
        let mut progress = Progress::new("verified", self.progress);
        let mut report = Report::begin();
        match &self.backup {
            Some(directory) => check_backup(directory, &mut report, &mut progress)?,
            None => self.check_store(options, &mut report, &mut progress).await?,
        }
        progress.end();
        report.end();
        Ok(report)
    }

    async fn check_store(&self, options: &Options, report: &mut Report, progress: &mut Progress) -> Result<()> {
        let location = options.existing_location();
        // Without the database, there is nothing to compare the repositories with.
        let Some(store) = open(&location, report).await? else { return Ok(()) };
        // Locked to the end: no server starts while leftovers are removed.
        let lock = self.repair.then(|| DataLock::try_take(options.data(), options.node()?)).transpose()?.flatten();
        let packs = options.pack_storage(&store, &Clock::default()).await?;
        let repositories = Arc::new(options.repositories_with(packs.as_ref())?);
        let checks = Checks { repair: self.repair, ..Checks::default() };
        check_repositories(&store, &repositories, &checks, report, progress).await?;
        let removal = match (self.repair, &lock) {
            (false, _) => Removal::ReportOnly,
            (true, Some(_)) => Removal::Remove,
            (true, None) => Removal::Locked,
        };
        leftovers::check(&store, &repositories, report, removal).await
    }
}

/// What happens to the copy of a repository whose packs are in an object storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AfterCheck {
    #[default]
    Keep,
    /// So that the disk needs room for one repository only.
    Evict,
}

/// What is checked, and how.
#[derive(Debug, Default)]
pub struct Checks {
    pub repair: bool,
    pub after_check: AfterCheck,
    /// Repositories that are left out.
    pub trusted: BTreeSet<RepoId>,
}

/// Checks repositories: each object of each pack, every object that the database names, and everything that they reach.
pub async fn check_repositories(
    store: &Store,
    repositories: &Arc<Repositories>,
    checks: &Checks,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<()> {
    let mut after = RepoId(0);
    loop {
        let batch = match objects::store::list_repos(&mut store.read().await?, after, REPOS_PER_BATCH).await {
            Ok(batch) => batch,
            Err(error) => return note_damage(error.into(), report),
        };
        let Some(last) = batch.last() else { return Ok(()) };
        after = last.repo;
        for listed in batch.into_iter().filter(|listed| !checks.trusted.contains(&listed.repo)) {
            if let Err(error) = fetch_packs(repositories, listed.repo).await {
                report.add(Finding::new(Kind::DamagedPack, format!("repository {}: {error}", listed.repo)));
                continue;
            }
            let mut checker = Checker { store, repositories, report, progress };
            let checked = checker.check(listed.repo, checks.repair).await;
            checked.or_else(|error| note_damage(error, report))?;
            if checks.after_check == AfterCheck::Evict {
                repositories.evict(listed.repo)?;
            }
        }
    }
}

/// Copies the packs of a repository from the object storage, if they are in one.
async fn fetch_packs(repositories: &Arc<Repositories>, repo: RepoId) -> Result<()> {
    if !repositories.is_shared() {
        return Ok(());
    }
    let repositories = repositories.clone();
    let fetched = tokio::task::spawn_blocking(move || repositories.create(repo)?.complete()).await;
    fetched.map_err(|error| Error::internal(error.to_string()))?
}

/// Opens the database and reads all of it; `None` if it cannot be opened because of damage.
async fn open(location: &Location, report: &mut Report) -> Result<Option<Store>> {
    let opened = async {
        match Store::schema(location).await? {
            Schema::Absent => Err(Error::BadRequest("there is no store".into())),
            Schema::Older(_) => {
                Err(Error::BadRequest("the store is of an older version: start a server to migrate it".into()))
            }
            Schema::Newer(version) => Err(Error::Conflict(format!("schema version {version} needs a newer plinth"))),
            Schema::Current => {
                let problems = Snapshot::open(location).await?.check_integrity().await?;
                Ok((Store::open(location).await?, problems))
            }
        }
    };
    match opened.await {
        Ok((store, problems)) => {
            report.engine = Some(store.engine_name());
            report.findings.extend(problems.into_iter().map(|problem| Finding::new(Kind::DamagedDatabase, problem)));
            Ok(Some(store))
        }
        Err(error) => note_damage(error, report).map(|()| None),
    }
}

/// Turns an error about a damaged database into a finding.
fn note_damage(error: Error, report: &mut Report) -> Result<()> {
    let Some(why) = DbError::damage(&error) else { return Err(error) };
    report.add(Finding::new(Kind::DamagedDatabase, why.to_owned()));
    Ok(())
}

fn check_backup(directory: &Path, report: &mut Report, progress: &mut Progress) -> Result<()> {
    let manifest = Manifest::read(directory)?;
    report.backup = Some(manifest.to_string());
    report.checked.repositories = manifest.repositories.len() as u64;
    report.checked.pack_bytes = manifest.pack_size();
    let damaged = check_files(directory, &manifest, progress)?;
    report.findings.extend(damaged.into_iter().map(|problem| Finding::new(Kind::DamagedBackup, problem)));
    if let Some(file) = manifest.database.sqlite_file()
        && let Err(error) = check_copy(&directory.join(file), manifest.database.schema_version)
    {
        report.add(Finding::new(Kind::DamagedBackup, error.to_string()));
    }
    Ok(())
}
