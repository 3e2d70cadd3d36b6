//! All repositories of this node, in directories that are named after their ids.

mod cached;
mod snapshot;
mod staging;
mod verify;

use std::any::Any;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;

use crate::durable;
use crate::packs::object_cache::ObjectCache;
use crate::repository::{self, Opening, Repository};
use crate::shared_packs::SharedPacks;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use staging::is_staging;

pub use snapshot::{PackFile, PackSnapshot, RemovalHold, RemovalPermit};
pub use staging::Staged;
pub use verify::{Connectivity, PackProblem, Repairable};

/// Repositories that stay open after use.
const OPEN_MAX: usize = 128;
/// From this size on, the entries of repositories that nobody uses are removed.
const IN_USE_MAX: usize = 1_024;
/// Bytes of the object cache of all repositories together.
const OBJECT_CACHE_SIZE: usize = 16 * 1024 * 1024;
/// Directories on the first level, so that none becomes too large to list.
const SHARDS: i64 = 256;
/// The file that marks a repository whose row is gone.
const DELETED: &str = "deleted";

/// The directory of all repositories, and those of them that are open.
pub struct Repositories {
    directory: PathBuf,
    cache: Arc<ObjectCache>,
    open: Mutex<OpenRepositories>,
    /// If nodes share packs, the directories are a cache of them.
    shared: Option<Arc<dyn SharedPacks>>,
    /// Directories of deleted repositories that are removed once no snapshot is being taken.
    marked: Mutex<Vec<PathBuf>>,
    /// Dropped last.
    owned: OnceLock<Box<dyn Any + Send + Sync>>,
}

#[derive(Default)]
struct OpenRepositories {
    by_id: HashMap<RepoId, (Arc<Repository>, u64)>,
    uses: u64,
    /// What everyone who uses a repository has, whether it is among the open ones or not.
    in_use: HashMap<RepoId, Weak<()>>,
}

impl Repositories {
    /// Opens the data directory; creates it if it is missing.
    pub fn at(data_directory: &Path) -> Result<Self> {
        let directory = std::path::absolute(data_directory)?.join("repositories");
        durable::create_directories(&directory)?;
        let cache = Arc::new(ObjectCache::new(OBJECT_CACHE_SIZE));
        let (open, marked) = (Mutex::default(), Mutex::default());
        Ok(Self { directory, cache, open, shared: None, marked, owned: OnceLock::new() })
    }

    /// Drops a value, such as the temporary directory that they are in, when nothing uses the repositories any more.
    pub fn own(&self, value: impl Any + Send + Sync) {
        // There is one owner, who calls this once.
        self.owned.set(Box::new(value)).ok();
    }

    /// The data directory that the repositories are in.
    pub fn data_directory(&self) -> &Path {
        self.directory.parent().unwrap_or(&self.directory)
    }

    /// Every object is read from its pack each time, to measure what the cache is worth.
    #[must_use]
    pub fn without_object_cache(self) -> Self {
        Self { cache: Arc::new(ObjectCache::new(0)), ..self }
    }

    /// As [`Repositories::at`], but creates nothing: `None` if there is no directory of repositories yet.
    pub fn existing(data_directory: &Path) -> Result<Option<Self>> {
        let directory = std::path::absolute(data_directory)?.join("repositories");
        if directory.is_dir() { Self::at(data_directory).map(Some) } else { Ok(None) }
    }

    /// Creates an empty repository, durably. Idempotent.
    pub fn create(&self, id: RepoId) -> Result<Arc<Repository>> {
        let directory = self.directory_of(id)?;
        if !directory.join("HEAD").is_file() {
            repository::create(&directory)?;
        }
        self.get(id)
    }

    /// The open repository; `NotFound` if this node has no directory for it.
    pub fn get(&self, id: RepoId) -> Result<Arc<Repository>> {
        if let Some(repository) = self.get_open(id) {
            repository.restore_directory()?;
            return Ok(repository);
        }
        let in_use = self.open.lock().in_use(id);
        let opening = Opening { cache: self.cache.clone(), shared: self.shared.clone(), in_use };
        let repository = Arc::new(Repository::open(id, self.directory_of(id)?, opening)?);
        if let Err(error) = repository.complete() {
            // What is on this disk can be served meanwhile.
            tracing::debug!(%error, repo = %id, "could not fetch packs");
        }
        Ok(self.open.lock().insert(repository))
    }

    /// The repository, if it is open already.
    pub fn get_open(&self, id: RepoId) -> Option<Arc<Repository>> {
        self.open.lock().find(id)
    }

    /// Whether this node has a directory for the repository. Does not read it.
    pub fn has_directory(&self, id: RepoId) -> Result<bool> {
        Ok(self.directory_of(id)?.try_exists()?)
    }

    /// Removes a repository with all its objects. Idempotent. While a snapshot is being taken it is only marked, and
    /// removed by a later [`Repositories::delete_marked`].
    pub fn delete(&self, id: RepoId) -> Result<()> {
        self.open.lock().by_id.remove(&id);
        self.cache.remove_repository(id);
        let directory = self.directory_of(id)?;
        if !directory.try_exists()? {
            return Ok(());
        }
        match self.wait_for_removals()? {
            Some(permit) => remove(&directory, &permit),
            None => {
                durable::write_file(&directory.join(DELETED), b"")?;
                self.marked.lock().push(directory);
                Ok(())
            }
        }
    }

    /// Removes the repositories that could not be removed while a snapshot was being taken.
    pub fn delete_marked(&self) -> Result<()> {
        if self.marked.lock().is_empty() {
            return Ok(());
        }
        let Some(permit) = self.try_removals()? else { return Ok(()) };
        let marked = std::mem::take(&mut *self.marked.lock());
        marked.iter().try_for_each(|directory| remove(directory, &permit))
    }

    /// Removes locks, temporary files and quarantines of a killed process. Call it once, at start-up.
    pub fn remove_leftovers(&self) -> Result<()> {
        self.remove_staging_leftovers()?;
        for shard in fs::read_dir(&self.directory)? {
            let shard = shard?.path();
            if is_staging(&shard) {
                continue;
            }
            for directory in fs::read_dir(shard)? {
                let directory = directory?.path();
                if directory.join(DELETED).exists() {
                    self.marked.lock().push(directory);
                } else if directory.is_dir() {
                    repository::remove_leftovers(&directory)?;
                }
            }
        }
        self.delete_marked()
    }

    /// The directory of the packs of a repository. It may not exist.
    pub fn pack_directory(&self, id: RepoId) -> PathBuf {
        self.directory.join(pack_directory(id))
    }

    /// A file without a name on the disk of the repositories, for data that is too large for memory.
    pub fn unnamed_file(&self) -> Result<fs::File> {
        self.create_directory()?;
        Ok(tempfile::tempfile_in(&self.directory)?)
    }

    /// Checks that a few bytes can be written to the disk of the repositories and synced. Blocks as long as the disk does.
    pub fn check_disk(&self) -> Result<()> {
        let checked = self.create_directory().and_then(|()| durable::check_disk(&self.directory));
        checked.map_err(|error| match Error::from(error) {
            Error::Unavailable(why) => Error::Unavailable(format!("{}: {why}", self.directory.display())),
            other => other,
        })
    }

    /// If packs are shared, the directory may have been lost.
    fn create_directory(&self) -> std::io::Result<()> {
        if self.shared.is_some() { durable::create_directories(&self.directory) } else { Ok(()) }
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    fn directory_of(&self, id: RepoId) -> Result<PathBuf> {
        Ok(self.directory.join(self.relative_directory_of(id)?))
    }

    pub(crate) fn relative_directory_of(&self, id: RepoId) -> Result<PathBuf> {
        if id.0 < 0 {
            return Err(Error::NotFound);
        }
        Ok(relative_directory(id))
    }
}

fn relative_directory(id: RepoId) -> PathBuf {
    PathBuf::from(format!("{:02x}/{}.git", id.0.rem_euclid(SHARDS), id.0))
}

/// The directory of the packs of a repository, relative to the directory of all repositories.
pub fn pack_directory(id: RepoId) -> PathBuf {
    relative_directory(id).join("objects/pack")
}

fn remove(directory: &Path, _permit: &RemovalPermit) -> Result<()> {
    // Without its HEAD the directory is not a repository, even if the rest is not removed because we are killed.
    durable::remove_file(&directory.join("HEAD"))?;
    durable::remove_directory(directory)?;
    let shard = directory.parent().expect("a repository is in a shard directory");
    if shard.is_dir() {
        durable::sync_directory(shard)?;
    }
    Ok(())
}

impl OpenRepositories {
    /// What everyone who uses a repository has.
    fn in_use(&mut self, id: RepoId) -> Arc<()> {
        if self.in_use.len() >= IN_USE_MAX {
            self.in_use.retain(|_, token| token.strong_count() > 0);
        }
        let token = self.in_use.get(&id).and_then(Weak::upgrade).unwrap_or_default();
        self.in_use.insert(id, Arc::downgrade(&token));
        token
    }

    fn find(&mut self, id: RepoId) -> Option<Arc<Repository>> {
        self.uses += 1;
        let (repository, last_use) = self.by_id.get_mut(&id)?;
        *last_use = self.uses;
        Some(repository.clone())
    }

    /// Two threads may open the same repository at once; both then use the first one.
    fn insert(&mut self, repository: Arc<Repository>) -> Arc<Repository> {
        if let Some(present) = self.find(repository.id()) {
            return present;
        }
        if self.by_id.len() >= OPEN_MAX {
            let oldest = self.by_id.iter().min_by_key(|(_, (_, last_use))| *last_use).map(|(id, _)| *id);
            oldest.and_then(|id| self.by_id.remove(&id));
        }
        self.by_id.insert(repository.id(), (repository.clone(), self.uses));
        repository
    }
}
