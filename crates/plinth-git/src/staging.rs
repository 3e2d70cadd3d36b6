//! Repositories that are filled before anyone knows their number, and then taken into use in one short step.

use std::fs;
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::cache::ObjectCache;
use super::durable;
use super::repositories::Repositories;
use super::repository::{self, Repository};
use plinth_base::error::Result;
use plinth_base::ids::RepoId;

const STAGING: &str = "staging";
/// Held by the process that fills the folder beside it, for as long as it does.
const LOCK: &str = "staged.lock";
/// A folder without a lock is being made by someone, unless it is as old as this.
const STAGING_AGE_MAX: Duration = Duration::from_secs(24 * 60 * 60);
const CACHE_SIZE: usize = 1024 * 1024;

/// A repository without a number. Dropping it leaves nothing behind.
pub struct Staged {
    repository: Arc<Repository>,
    _directory: StagingDirectory,
}

/// A directory beside the repositories that goes with its owner, however that ends.
pub(super) struct StagingDirectory {
    directory: tempfile::TempDir,
    _lock: fs::File,
}

impl StagingDirectory {
    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }
}

impl Deref for Staged {
    type Target = Arc<Repository>;

    fn deref(&self) -> &Arc<Repository> {
        &self.repository
    }
}

impl Repositories {
    /// Makes an empty one, on the same disk as all others.
    pub fn stage(&self) -> Result<Staged> {
        let directory = self.staging_directory()?;
        let path = directory.path().join("objects.git");
        repository::create(&path)?;
        let repository = Repository::open(RepoId(0), path, Arc::new(ObjectCache::new(CACHE_SIZE)))?;
        Ok(Staged { repository: Arc::new(repository), _directory: directory })
    }

    /// Makes an empty directory on the same disk as all repositories.
    pub(super) fn staging_directory(&self) -> Result<StagingDirectory> {
        let staging = self.directory().join(STAGING);
        durable::create_directories(&staging)?;
        // Whoever removes leftovers must not come between a directory and its lock.
        let door = fs::File::open(&staging)?;
        door.lock()?;
        remove_left_behind(&staging)?;
        let directory = tempfile::tempdir_in(&staging)?;
        let lock = fs::File::create(directory.path().join(LOCK))?;
        lock.lock()?;
        drop(door);
        Ok(StagingDirectory { directory, _lock: lock })
    }

    /// Gives all packs of a staged repository to the one with this number, durably. Doing it again changes nothing.
    pub fn adopt(&self, staged: &Staged, id: RepoId) -> Result<Arc<Repository>> {
        let repository = self.create(id)?;
        let (source, target) = (staged.pack_directory(), repository.pack_directory());
        // Readers look for the index, so it comes last.
        for extension in ["pack", "rev", "idx"] {
            for entry in fs::read_dir(&source)? {
                let entry = entry?;
                if entry.path().extension().is_some_and(|found| found == extension) {
                    link(&entry.path(), &target.join(entry.file_name()))?;
                }
            }
        }
        durable::sync_directory(&target)?;
        Ok(repository)
    }

    /// Directories that a killed process was filling.
    pub(super) fn abandoned_staging(&self) -> Result<Vec<std::path::PathBuf>> {
        let mut found = Vec::new();
        let staging = self.directory().join(STAGING);
        if staging.is_dir() {
            for entry in fs::read_dir(&staging)? {
                let entry = entry?;
                if is_left_behind(&entry)? {
                    found.push(entry.path());
                }
            }
        }
        Ok(found)
    }

    /// Removes what a killed process was filling.
    pub(super) fn sweep_staging(&self) -> Result<()> {
        let staging = self.directory().join(STAGING);
        if !staging.is_dir() {
            return Ok(());
        }
        let door = fs::File::open(&staging)?;
        door.lock()?;
        Ok(remove_left_behind(&staging)?)
    }
}

fn remove_left_behind(staging: &Path) -> io::Result<()> {
    for entry in fs::read_dir(staging)? {
        let entry = entry?;
        if is_left_behind(&entry)?
            && let Err(error) = durable::remove_directory(&entry.path())
        {
            // A child of the process may not have noticed yet that it is alone; the next one who comes here tries again.
            tracing::warn!(%error, folder = %entry.path().display(), "what an import left behind is still there");
        }
    }
    Ok(())
}

/// The lock of a process goes with it, however it ends.
fn is_left_behind(entry: &fs::DirEntry) -> io::Result<bool> {
    match fs::File::open(entry.path().join(LOCK)) {
        Ok(lock) => Ok(lock.try_lock().is_ok()),
        Err(_) => match entry.metadata().and_then(|data| data.modified()) {
            Ok(made) => Ok(SystemTime::now().duration_since(made).unwrap_or_default() > STAGING_AGE_MAX),
            // Its owner has just removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        },
    }
}

/// Whether a folder beside the repositories is the one that they are filled in.
pub(super) fn is_staging(directory: &Path) -> bool {
    directory.file_name().is_some_and(|name| name == STAGING)
}

fn link(source: &Path, target: &Path) -> io::Result<()> {
    match fs::hard_link(source, target) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result,
    }
}
