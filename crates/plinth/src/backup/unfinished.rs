//! A directory that gets its final name only once it is complete.

use std::path::{Path, PathBuf};

use super::files::create_directory;
use plinth_base::error::{Error, Result};

/// Removed if it is dropped before it is finished, so that a partial directory is never mistaken for a complete one.
pub struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    /// Creates the directory next to its final path, and removes what an earlier attempt left.
    pub fn create(directory: &Path) -> Result<Self> {
        let mut name = directory.as_os_str().to_owned();
        name.push(".unfinished");
        let path = PathBuf::from(name);
        if path.exists() {
            std::fs::remove_dir_all(&path)?;
        }
        create_directory(&path).map_err(|error| Error::BadRequest(format!("{}: {error}", path.display())))?;
        Ok(Self { path })
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
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
