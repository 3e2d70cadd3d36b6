//! A directory that gets its final name only once it is complete.

use std::path::{Path, PathBuf};

use super::files::create_directory;
use plinth_base::error::{Error, Result};

/// Its name tells a partial directory from a complete one. It is removed if it is dropped before it is finished, unless
/// another attempt can continue with what is in it.
pub struct Unfinished {
    path: PathBuf,
    is_resumable: bool,
}

impl Unfinished {
    /// Creates the directory next to its final path, and removes what an earlier attempt left.
    pub fn create(directory: &Path) -> Result<Self> {
        let path = path_of(directory);
        if path.exists() {
            std::fs::remove_dir_all(&path)?;
        }
        Self::open(path, false)
    }

    /// Creates the directory next to its final path, or continues with that of an earlier attempt.
    pub fn resume(directory: &Path) -> Result<Self> {
        Self::open(path_of(directory), true)
    }

    fn open(path: PathBuf, is_resumable: bool) -> Result<Self> {
        create_directory(&path).map_err(|error| Error::BadRequest(format!("{}: {error}", path.display())))?;
        Ok(Self { path, is_resumable })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs all directories and renames this one to its final name.
    pub fn finish(self, directory: &Path) -> Result<()> {
        sync_directories(&self.path)?;
        std::fs::rename(&self.path, directory)
            .map_err(|error| Error::BadRequest(format!("{}: {error}", directory.display())))?;
        let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::File::open(parent)?.sync_all()?;
        Ok(())
    }
}

fn path_of(directory: &Path) -> PathBuf {
    let mut name = directory.as_os_str().to_owned();
    name.push(".unfinished");
    PathBuf::from(name)
}

fn sync_directories(directory: &Path) -> Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_directories(&entry.path())?;
        }
    }
    Ok(std::fs::File::open(directory)?.sync_all()?)
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // A finished directory was renamed. What cannot be removed now, the next attempt removes.
        if !self.is_resumable {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
