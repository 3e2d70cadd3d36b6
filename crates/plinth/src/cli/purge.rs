//! `plinth repo purge`: removes at once what nothing in a repository reaches.
//!
//! A server on the data directory does it for the command, since it alone knows who is about to need an object, and has
//! objects in memory: the command leaves a request in the directory and waits. Without a server it does it itself.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::entities::find_repo;
use super::instance::DataLock;
use super::options::Options;
use super::serve::GC_ROOTS;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_core::objects::{Maintenance, Objects, Policy};
use plinth_git::{Repositories, create_directories};
use plinth_store::Store;

const DIRECTORY: &str = "purge";
const REQUEST: &str = "request";
const RUNNING: &str = "running";
const DONE: &str = "done";
/// How often a server looks for requests, and a command for their end.
const INTERVAL: Duration = Duration::from_millis(200);
/// How long a command waits: packing a large repository anew takes a while.
const PATIENCE: Duration = Duration::from_secs(3600);

const REMOVED: &str = "removed what nothing reaches";
const NOTHING: &str = "nothing to remove";

pub async fn run(
    options: &Options,
    store: &Store,
    repositories: Repositories,
    clock: &Clock,
    (name, out): (&str, &mut (dyn Write + Send)),
) -> Result<()> {
    let repo = find_repo(&mut store.read().await?, name).await?.repo.id;
    let data = options.data();
    let files = Files::of(data, repo);
    // What a command that did not wait for it has left.
    files.forget(&[DONE]);
    let started = Instant::now();
    loop {
        if let Some(lock) = DataLock::try_take(data, options.node()?)? {
            files.forget(&[REQUEST, RUNNING, DONE]);
            let objects = Objects::new(store.clone(), Arc::new(repositories), options.settings()?.objects);
            let upkeep = Maintenance::new(objects, clock.clone(), GC_ROOTS, Policy::default());
            let outcome = describe(purge(&upkeep, repo).await)?;
            drop(lock);
            return Ok(writeln!(out, "{name}: {outcome}")?);
        }
        if let Some(outcome) = files.take_done()? {
            return match outcome.strip_prefix("failed: ") {
                Some(cause) => Err(Error::Unavailable(format!("{name}: {cause}"))),
                None => Ok(writeln!(out, "{name}: {outcome} (by the server)")?),
            };
        }
        files.request()?;
        if started.elapsed() > PATIENCE {
            return Err(Error::Unavailable(format!("the server on {} does not do what it was asked", data.display())));
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

/// Whether anything was removed; a repository that nothing was ever put into has nothing.
async fn purge(upkeep: &Maintenance, repo: RepoId) -> Result<bool> {
    match upkeep.purge(repo).await {
        Err(Error::NotFound) => Ok(false),
        purged => purged,
    }
}

fn describe(purged: Result<bool>) -> Result<&'static str> {
    Ok(if purged? { REMOVED } else { NOTHING })
}

/// Does what commands ask for, for as long as the server runs.
pub async fn serve(data: PathBuf, upkeep: Maintenance) {
    let directory = data.join(DIRECTORY);
    // Of a server that was killed; the command asks again.
    list(&directory, RUNNING).into_iter().for_each(|repo| Files::of(&data, repo).forget(&[RUNNING]));
    loop {
        tokio::time::sleep(INTERVAL).await;
        for repo in list(&directory, REQUEST) {
            let files = Files::of(&data, repo);
            if fs::rename(files.path(REQUEST), files.path(RUNNING)).is_err() {
                continue;
            }
            let outcome = match describe(purge(&upkeep, repo).await) {
                Ok(outcome) => outcome.to_owned(),
                Err(error) => {
                    tracing::warn!(%error, %repo, "could not purge a repository");
                    format!("failed: {error}")
                }
            };
            if let Err(error) = files.finish(&outcome) {
                tracing::warn!(%error, %repo, "could not tell that a repository was purged");
            }
        }
    }
}

fn list(directory: &Path, state: &str) -> Vec<RepoId> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let asked = paths.filter(|path| path.extension().is_some_and(|extension| extension == state));
    asked.filter_map(|path| path.file_stem()?.to_str()?.parse().ok()).collect()
}

/// The files through which a command and a server speak about one repository.
struct Files {
    directory: PathBuf,
    repo: RepoId,
}

impl Files {
    fn of(data: &Path, repo: RepoId) -> Self {
        Self { directory: data.join(DIRECTORY), repo }
    }

    fn path(&self, state: &str) -> PathBuf {
        self.directory.join(format!("{}.{state}", self.repo))
    }

    /// Asks, unless somebody has asked already.
    fn request(&self) -> Result<()> {
        if self.path(RUNNING).exists() || self.path(REQUEST).exists() {
            return Ok(());
        }
        create_directories(&self.directory)?;
        fs::write(self.path(REQUEST), "")?;
        Ok(())
    }

    /// What the server says, once.
    fn take_done(&self) -> Result<Option<String>> {
        match fs::read_to_string(self.path(DONE)) {
            Ok(outcome) => {
                self.forget(&[DONE]);
                Ok(Some(outcome))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn finish(&self, outcome: &str) -> Result<()> {
        fs::write(self.path(RUNNING), outcome)?;
        Ok(fs::rename(self.path(RUNNING), self.path(DONE))?)
    }

    /// What is not there is forgotten already.
    fn forget(&self, states: &[&str]) {
        for state in states {
            let _ = fs::remove_file(self.path(state));
        }
    }
}
