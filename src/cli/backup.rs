//! `plinth backup` and `plinth restore`: an embedded store and its repositories as a folder of their own.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::options::Options;
use crate::db;
use crate::error::{Error, Result};
use crate::git;

const BACKUP_FILE: &str = "plinth.db";
const REPOSITORIES: &str = "repositories";

/// Copies the store; the folder must not exist, so that no earlier copy is lost.
pub async fn backup(options: &Options, folder: &Path, out: &mut (dyn Write + Send)) -> Result<()> {
    if options.database.is_none() && !options.database_file().exists() {
        return Err(Error::BadRequest(format!("there is no store in {}", options.data().display())));
    }
    let store = options.open_store().await?;
    if folder.exists() {
        return Err(Error::BadRequest(format!("{} exists already; copy into a new folder", folder.display())));
    }
    let copy = Unfinished::beside(folder)?;
    // The store first: what its names point at is in the repositories then, and stays there.
    store.backup(&copy.path.join(BACKUP_FILE))?;
    options.open_repositories()?.copy_to(&copy.path.join(REPOSITORIES))?;
    copy.finish(folder)?;
    writeln!(out, "copied the store to {}", folder.display())?;
    Ok(())
}

/// Brings a copy back, only to where nothing is.
pub fn restore(options: &Options, folder: &Path, out: &mut (dyn Write + Send)) -> Result<()> {
    let source = folder.join(BACKUP_FILE);
    let target = options.data();
    if options.database.is_some() {
        return Err(Error::BadRequest("a PostgreSQL store is restored with pg_restore".into()));
    }
    if target.exists() {
        return Err(Error::BadRequest(format!("{} exists already; restore into a new folder", target.display())));
    }
    if !source.exists() {
        return Err(Error::BadRequest(format!("there is no copy in {}", folder.display())));
    }
    let copy = Unfinished::beside(target)?;
    let file = copy.path.join(BACKUP_FILE);
    std::fs::copy(&source, &file)?;
    std::fs::File::open(&file)?.sync_all()?;
    db::check_copy(&file)?;
    git::copy_folder(&folder.join(REPOSITORIES), &copy.path.join(REPOSITORIES))?;
    copy.finish(target)?;
    writeln!(out, "restored {} into {}", folder.display(), target.display())?;
    Ok(())
}

/// A folder that gets its name only when everything is in it, so that one cut off in the middle is never taken for whole.
struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    /// Starts anew; what an earlier attempt left behind is nobody's.
    fn beside(folder: &Path) -> Result<Self> {
        let mut name = folder.as_os_str().to_owned();
        name.push(".unfinished");
        let path = PathBuf::from(name);
        if path.exists() {
            std::fs::remove_dir_all(&path)?;
        }
        std::fs::create_dir_all(&path).map_err(|error| Error::BadRequest(format!("{}: {error}", path.display())))?;
        Ok(Self { path })
    }

    fn finish(self, folder: &Path) -> Result<()> {
        std::fs::File::open(&self.path)?.sync_all()?;
        std::fs::rename(&self.path, folder)?;
        let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::File::open(parent)?.sync_all()?;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Gone already where it was finished; otherwise the next attempt clears what cannot be cleared now.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
