//! A directory that gets its name only when everything is in it.

use std::path::{Path, PathBuf};

use super::files::create_directory;
use plinth_base::error::{Error, Result};

/// Removed when it is dropped before it was finished, so that half a directory is never taken for a whole one.
pub struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    /// Starts anew; what an earlier attempt left behind is removed.
    pub fn beside(directory: &Path) -> Result<Self> {
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

    /// Makes all directories durable and gives this one its name.
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
        // Gone already where it was finished; otherwise the next attempt clears what cannot be cleared now.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
