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
use crate::error::Result;
use crate::ids::RepoId;

const STAGING: &str = "staging";
/// Nothing is filled for longer than this; what is older was left by a process that is gone.
const STAGING_AGE_MAX: Duration = Duration::from_secs(24 * 60 * 60);
const CACHE_SIZE: usize = 1024 * 1024;

/// A repository without a number. Dropping it leaves nothing behind.
pub struct Staged {
    repository: Arc<Repository>,
    _directory: tempfile::TempDir,
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
        let staging = self.directory().join(STAGING);
        durable::create_directories(&staging)?;
        let directory = tempfile::tempdir_in(&staging)?;
        let path = directory.path().join("objects.git");
        repository::create(&path)?;
        let repository = Repository::open(RepoId(0), path, Arc::new(ObjectCache::new(CACHE_SIZE)))?;
        Ok(Staged { repository: Arc::new(repository), _directory: directory })
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

    /// Removes what a killed process was filling.
    pub(super) fn sweep_staging(&self) -> Result<()> {
        let Ok(entries) = fs::read_dir(self.directory().join(STAGING)) else { return Ok(()) };
        for entry in entries {
            let entry = entry?;
            let age = SystemTime::now().duration_since(entry.metadata()?.modified()?).unwrap_or_default();
            if age > STAGING_AGE_MAX {
                durable::remove_directory(&entry.path())?;
            }
        }
        Ok(())
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
