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
