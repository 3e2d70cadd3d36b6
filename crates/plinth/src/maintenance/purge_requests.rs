//! Files through which `plinth repo purge` asks a running server to purge a repository.
//!
//! Only the server knows which objects a request in flight is about to need, and it caches objects. So while a server
//! has the data directory, the command leaves a request in it and waits for the result.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plinth_base::error::Result;
use plinth_base::ids::RepoId;
use plinth_core::objects::Maintenance;
use plinth_git::create_directories;

const DIRECTORY: &str = "purge";
const REQUEST: &str = "request";
const RUNNING: &str = "running";
const DONE: &str = "done";
const FAILED: &str = "failed: ";
/// How often a server looks for requests, and a command for their results.
pub const INTERVAL: Duration = Duration::from_millis(200);

/// The files about one repository.
pub struct PurgeRequest {
    directory: PathBuf,
    repo: RepoId,
}

impl PurgeRequest {
    pub fn new(data: &Path, repo: RepoId) -> Self {
        Self { directory: data.join(DIRECTORY), repo }
    }

    fn path(&self, state: &str) -> PathBuf {
        self.directory.join(format!("{}.{state}", self.repo))
    }

    /// Leaves a request, unless there is one already.
    pub fn submit(&self) -> Result<()> {
        if self.path(RUNNING).exists() || self.path(REQUEST).exists() {
            return Ok(());
        }
        create_directories(&self.directory)?;
        fs::write(self.path(REQUEST), "")?;
        Ok(())
    }

    /// Takes the result: what was done, or the cause of a failure.
    pub fn take_result(&self) -> Result<Option<Result<String, String>>> {
        match fs::read_to_string(self.path(DONE)) {
            Ok(outcome) => {
                self.remove_result();
                Ok(Some(match outcome.strip_prefix(FAILED) {
                    Some(cause) => Err(cause.to_owned()),
                    None => Ok(outcome),
                }))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes the result that a command which was interrupted has not read.
    pub fn remove_result(&self) {
        self.remove(&[DONE]);
    }

    pub fn remove_all(&self) {
        self.remove(&[REQUEST, RUNNING, DONE]);
    }

    /// Moves a request to `running`; false if another process has taken it.
    fn start(&self) -> bool {
        fs::rename(self.path(REQUEST), self.path(RUNNING)).is_ok()
    }

    fn finish(&self, outcome: &str) -> Result<()> {
        fs::write(self.path(RUNNING), outcome)?;
        Ok(fs::rename(self.path(RUNNING), self.path(DONE))?)
    }

    fn remove(&self, states: &[&str]) {
        for state in states {
            // Most often it does not exist.
            let _ = fs::remove_file(self.path(state));
        }
    }
}

/// Processes requests for as long as the server runs.
pub async fn serve(data: PathBuf, maintenance: Maintenance) {
    let directory = data.join(DIRECTORY);
    // Left by a server that was killed; the command that waits submits its request again.
    list(&directory, RUNNING).into_iter().for_each(|repo| PurgeRequest::new(&data, repo).remove(&[RUNNING]));
    loop {
        tokio::time::sleep(INTERVAL).await;
        for repo in list(&directory, REQUEST) {
            let request = PurgeRequest::new(&data, repo);
            if !request.start() {
                continue;
            }
            let outcome = match super::purge(&maintenance, repo).await {
                Ok(outcome) => outcome.to_owned(),
                Err(error) => {
                    tracing::warn!(%error, %repo, "could not purge a repository");
                    format!("{FAILED}{error}")
                }
            };
            if let Err(error) = request.finish(&outcome) {
                tracing::warn!(%error, %repo, "could not report that a repository was purged");
            }
        }
    }
}

fn list(directory: &Path, state: &str) -> Vec<RepoId> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let listed = paths.filter(|path| path.extension().is_some_and(|extension| extension == state));
    listed.filter_map(|path| path.file_stem()?.to_str()?.parse().ok()).collect()
}
