//! Staged repositories: filled before they have an id, then adopted in one short step.

use std::fs;
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::Repositories;
use crate::durable;
use crate::packs::EXTENSIONS;
use crate::packs::object_cache::ObjectCache;
use crate::repository::{self, Opening, Repository};
use plinth_base::error::Result;
use plinth_base::ids::RepoId;

const STAGING: &str = "staging";
/// Locked by the process that fills the directory, as long as it does.
const LOCK: &str = "staged.lock";
/// A directory without a lock file is just being created, unless it is older than this.
const STAGING_AGE_MAX: Duration = Duration::from_secs(24 * 60 * 60);
const CACHE_SIZE: usize = 1024 * 1024;

/// A repository without an id. Dropping it removes it.
pub struct Staged {
    repository: Arc<Repository>,
    _directory: StagingDirectory,
}

/// A temporary directory on the disk of the repositories. If its process is killed, another one removes it.
pub(crate) struct StagingDirectory {
    directory: tempfile::TempDir,
    _lock: fs::File,
}

impl StagingDirectory {
    pub(crate) fn path(&self) -> &Path {
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
    /// Creates an empty repository, on the same disk as all others.
    pub fn stage(&self) -> Result<Staged> {
        let directory = self.staging_directory()?;
        let path = directory.path().join("objects.git");
        repository::create(&path)?;
        let repository = Repository::open(RepoId(0), path, Opening::alone(Arc::new(ObjectCache::new(CACHE_SIZE))))?;
        Ok(Staged { repository: Arc::new(repository), _directory: directory })
    }

    /// Creates an empty directory on the same disk as all repositories.
    pub(crate) fn staging_directory(&self) -> Result<StagingDirectory> {
        let staging = self.directory().join(STAGING);
        durable::create_directories(&staging)?;
        // A process that removes leftovers must not see a directory before its lock file.
        let staging_lock = fs::File::open(&staging)?;
        staging_lock.lock()?;
        remove_leftovers(&staging)?;
        let directory = tempfile::tempdir_in(&staging)?;
        let lock = fs::File::create(directory.path().join(LOCK))?;
        lock.lock()?;
        drop(staging_lock);
        Ok(StagingDirectory { directory, _lock: lock })
    }

    /// Links all packs of a staged repository into the one with this id, durably. Idempotent.
    pub fn adopt(&self, staged: &Staged, id: RepoId) -> Result<()> {
        let directory = self.directory_of(id)?;
        if !directory.join("HEAD").is_file() {
            repository::create(&directory)?;
        }
        let (source, target) = (staged.pack_directory(), self.pack_directory(id));
        for extension in EXTENSIONS {
            for entry in fs::read_dir(&source)? {
                let entry = entry?;
                if entry.path().extension().is_some_and(|found| found == extension) {
                    link(&entry.path(), &target.join(entry.file_name()))?;
                }
            }
        }
        Ok(durable::sync_directory(&target)?)
    }

    /// Staging directories of killed processes.
    pub(crate) fn staging_leftovers(&self) -> Result<Vec<std::path::PathBuf>> {
        let mut found = Vec::new();
        let staging = self.directory().join(STAGING);
        if staging.is_dir() {
            for entry in fs::read_dir(&staging)? {
                let entry = entry?;
                if is_leftover(&entry)? {
                    found.push(entry.path());
                }
            }
        }
        Ok(found)
    }

    /// Removes the staging directories of killed processes.
    pub(crate) fn remove_staging_leftovers(&self) -> Result<()> {
        let staging = self.directory().join(STAGING);
        if !staging.is_dir() {
            return Ok(());
        }
        let staging_lock = fs::File::open(&staging)?;
        staging_lock.lock()?;
        Ok(remove_leftovers(&staging)?)
    }
}

fn remove_leftovers(staging: &Path) -> io::Result<()> {
    for entry in fs::read_dir(staging)? {
        let entry = entry?;
        if is_leftover(&entry)?
            && let Err(error) = durable::remove_directory(&entry.path())
        {
            // A child of the killed process may still be writing; the next call tries again.
            tracing::warn!(%error, directory = %entry.path().display(), "could not remove the leftovers of an import");
        }
    }
    Ok(())
}

/// The kernel releases the lock of a process that ends.
fn is_leftover(entry: &fs::DirEntry) -> io::Result<bool> {
    match fs::File::open(entry.path().join(LOCK)) {
        Ok(lock) => Ok(lock.try_lock().is_ok()),
        Err(_) => match entry.metadata().and_then(|data| data.modified()) {
            Ok(created) => Ok(SystemTime::now().duration_since(created).unwrap_or_default() > STAGING_AGE_MAX),
            // Its owner has just removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        },
    }
}

/// Whether this is the directory of staged repositories.
pub(crate) fn is_staging(directory: &Path) -> bool {
    directory.file_name().is_some_and(|name| name == STAGING)
}

fn link(source: &Path, target: &Path) -> io::Result<()> {
    match fs::hard_link(source, target) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result,
    }
}
