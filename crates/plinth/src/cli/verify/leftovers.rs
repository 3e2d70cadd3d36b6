//! What nothing needs: directories without a repository, and the work of processes that were killed.

use std::path::Path;

use super::report::{Finding, Kind, Repair, Report};
use crate::cli::instance::DataLock;
use plinth_base::error::Result;
use plinth_core::objects;
use plinth_git::Repositories;
use plinth_store::Store;

/// `repair` is nothing unless repairs are asked for; then it has the lock, unless a server has it.
pub async fn check(
    store: &Store,
    repositories: &Repositories,
    report: &mut Report,
    repair: Option<Option<&DataLock>>,
) -> Result<()> {
    // The directories first: a repository that is made later is in the database when it is looked for.
    let directories = repositories.list_directories()?;
    let mut db = store.read().await?;
    for (repo, directory) in directories {
        if !Repositories::is_abandoned(&directory) || objects::store::exists(&mut db, repo).await? {
            continue;
        }
        let finding = Finding::new(Kind::Orphan, "no repository has this directory".into()).at(&directory);
        report.add(finding.with(remove(repair, || repositories.delete(repo))));
    }
    for path in repositories.leftovers()? {
        // While a server runs, it may be at work there.
        let is_old = Repositories::is_abandoned(&path) || repair.flatten().is_some();
        if is_old {
            let finding = Finding::new(Kind::Leftover, "a process did not finish it".into()).at(&path);
            report.add(finding.with(remove(repair, || remove_path(&path))));
        }
    }
    Ok(())
}

fn remove(repair: Option<Option<&DataLock>>, remove: impl FnOnce() -> Result<()>) -> Repair {
    match repair {
        None => Repair::Possible,
        Some(None) => Repair::NeedsOwner,
        Some(Some(_)) => match remove() {
            Ok(()) => Repair::Done,
            Err(error) => Repair::Failed(error.to_string()),
        },
    }
}

fn remove_path(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    Ok(removed?)
}
