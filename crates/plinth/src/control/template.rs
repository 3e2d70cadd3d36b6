//! Copies of a data directory from which instances are started.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::TempDir;

use super::directories::UnusedDirectories;
use crate::backup::list_repos;
use crate::state_file::StoreSnapshot;
use plinth_base::error::Result;
use plinth_core::webhooks::key_file;
use plinth_git::Repositories;
use plinth_store::{Location, Snapshot};

const REPOSITORIES: &str = "repositories";
/// Packs never change, so that copies can share them. Everything else is copied.
const SHARED_DIRECTORY: &str = "pack";

/// A state of an instance, as files that nobody changes.
pub struct Template {
    directory: TempDir,
}

impl Template {
    /// Copies the present state of an instance on SQLite, which may be in use. The copy is in a directory below `root`.
    pub async fn of(location: &Location, repositories: &Repositories, root: &Path) -> Result<Self> {
        let directory = tempfile::tempdir_in(root)?;
        // No pack is removed before both the database and the packs are copied.
        let hold = repositories.hold_removals()?;
        let mut snapshot = Snapshot::open(location).await?;
        snapshot.copy_unsynced(directory.path())?;
        let repos = list_repos(&mut snapshot).await?;
        let copy = Repositories::at(directory.path())?;
        let packs = repositories.link_packs(&repos, &hold)?;
        drop(hold);
        for file in packs.files() {
            let target = directory.path().join(REPOSITORIES).join(&file.path);
            fs::create_dir_all(target.parent().unwrap_or(&target))?;
            fs::hard_link(&file.source, &target)?;
        }
        for repo in repos {
            if repositories.has_directory(repo)? {
                copy.complete(repo)?;
            }
        }
        copy_if_exists(&repositories.data_directory().join(key_file::FILE_NAME), directory.path())?;
        Ok(Self { directory })
    }

    /// The state that a file describes.
    pub async fn of_snapshot(snapshot: &StoreSnapshot, root: &Path) -> Result<Self> {
        let directory = tempfile::tempdir_in(root)?;
        snapshot.write(directory.path()).await?;
        Ok(Self { directory })
    }

    /// The state as a part of a state file.
    pub fn to_snapshot(&self) -> Result<StoreSnapshot> {
        StoreSnapshot::read(self.directory.path())
    }

    /// A new data directory below `root` with this state, if possible with repositories from `unused`.
    pub fn instantiate(&self, root: &Path, unused: &UnusedDirectories) -> Result<TempDir> {
        let directory = tempfile::tempdir_in(root)?;
        unused.move_directory(REPOSITORIES, self.directory.path(), directory.path());
        copy_directory(self.directory.path(), directory.path())?;
        Ok(directory)
    }
}

fn copy_if_exists(file: &Path, directory: &Path) -> io::Result<()> {
    let Some(name) = file.file_name() else { return Ok(()) };
    match fs::copy(file, directory.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Copies everything but directories that are there already.
fn copy_directory(source: &Path, target: &Path) -> io::Result<()> {
    let is_shared = source.ends_with(SHARED_DIRECTORY);
    for entry in fs::read_dir(source)? {
        let entry = entry?;
        let (from, to) = (entry.path(), target.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            match fs::create_dir(&to) {
                Ok(()) => copy_directory(&from, &to)?,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        } else if is_shared {
            fs::hard_link(&from, &to)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}
