//! `plinth backup` and `plinth restore`: an embedded store as a folder of its own.

use std::io::Write;
use std::path::Path;

use super::options::Options;
use crate::error::{Error, Result};

const BACKUP_FILE: &str = "plinth.db";

/// Copies the store; the folder must not exist, so that no earlier copy is lost.
pub async fn backup(options: &Options, folder: &Path, out: &mut (dyn Write + Send)) -> Result<()> {
    if options.database.is_none() && !options.database_file().exists() {
        return Err(Error::BadRequest(format!("there is no store in {}", options.data().display())));
    }
    let store = options.open_store().await?;
    std::fs::create_dir(folder).map_err(|error| Error::BadRequest(format!("{}: {error}", folder.display())))?;
    store.backup(&folder.join(BACKUP_FILE))?;
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
    std::fs::copy(&source, options.database_file())?;
    std::fs::File::open(options.database_file())?.sync_all()?;
    std::fs::File::open(target)?.sync_all()?;
    writeln!(out, "restored {} into {}", folder.display(), target.display())?;
    Ok(())
}
