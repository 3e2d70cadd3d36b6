//! `plinth backup` and `plinth restore`: an embedded store and its repositories as a folder of their own.

use std::io::Write;
use std::path::Path;

use super::options::Options;
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
    std::fs::create_dir(folder).map_err(|error| Error::BadRequest(format!("{}: {error}", folder.display())))?;
    // The store first: what its names point at is in the repositories then, and stays there.
    store.backup(&folder.join(BACKUP_FILE))?;
    options.open_repositories()?.copy_to(&folder.join(REPOSITORIES))?;
    std::fs::File::open(folder)?.sync_all()?;
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
    std::fs::create_dir_all(target)?;
    git::copy_folder(&folder.join(REPOSITORIES), &target.join(REPOSITORIES))?;
    std::fs::copy(&source, options.database_file())?;
    std::fs::File::open(options.database_file())?.sync_all()?;
    std::fs::File::open(target)?.sync_all()?;
    writeln!(out, "restored {} into {}", folder.display(), target.display())?;
    Ok(())
}
