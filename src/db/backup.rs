//! Copies of an embedded store, made while it is in use.

use std::path::Path;
use std::time::Duration;

use super::{DbError, sqlite};
use crate::error::{Error, Result};

const PAGES_PER_STEP: i32 = 1024;
const PAUSE_BETWEEN_STEPS: Duration = Duration::from_millis(1);

/// Copies every page into `file`, which must not exist, and syncs it.
pub fn copy(engine: &sqlite::Engine, file: &Path) -> Result<()> {
    if file.exists() {
        return Err(Error::Conflict(format!("{} exists already", file.display())));
    }
    let source = engine.reader()?;
    let mut target = rusqlite::Connection::open(file).map_err(DbError::from)?;
    rusqlite::backup::Backup::new(&source, &mut target)
        .and_then(|backup| backup.run_to_completion(PAGES_PER_STEP, PAUSE_BETWEEN_STEPS, None))
        .map_err(DbError::from)?;
    drop(target);
    std::fs::File::open(file)?.sync_all()?;
    Ok(())
}

/// Refuses a file that is not a whole store, before anyone builds on it.
pub fn check_copy(file: &Path) -> Result<()> {
    let read = || -> Result<String, rusqlite::Error> {
        let connection = rusqlite::Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.query_row("select version from schema_version", [], |_| Ok(()))?;
        connection.query_row("pragma quick_check(1)", [], |row| row.get(0))
    };
    let broken = |why: &dyn std::fmt::Display| Error::BadRequest(format!("{} is not whole: {why}", file.display()));
    match read() {
        Ok(verdict) if verdict == "ok" => Ok(()),
        Ok(verdict) => Err(broken(&verdict)),
        Err(error) => Err(broken(&error)),
    }
}
