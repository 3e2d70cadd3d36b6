//! Checks what was copied.

use std::io::Write;
use std::sync::Arc;

use crate::progress::Progress;
use crate::verify::{Checks, Report, check_repositories};
use plinth_base::error::{Error, Result};
use plinth_git::Repositories;
use plinth_store::Store;

/// Checks every object of every copied pack, every reference, and everything that they reach, and reports how much that was.
pub async fn verify(
    store: &Store,
    repositories: &Arc<Repositories>,
    checks: &Checks,
    with_progress: bool,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    let mut progress = Progress::new("verified", with_progress);
    let mut report = Report::begin();
    check_repositories(store, repositories, checks, &mut report, &mut progress).await?;
    progress.end();
    report.end();
    write!(out, "verified: ")?;
    report.write(false, out)?;
    if report.is_healthy() {
        return Ok(());
    }
    Err(Error::Conflict("the copy is damaged; nothing was changed where it came from".into()))
}
