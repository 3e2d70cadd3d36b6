//! Finds what can be removed: directories without a repository, and temporary files of processes that were killed.

use std::path::Path;

use super::report::{Finding, Kind, Repair, Report};
use plinth_base::error::Result;
use plinth_core::objects;
use plinth_core::repos::deletion;
use plinth_git::Repositories;
use plinth_store::Store;

/// Whether leftovers are removed.
#[derive(Clone, Copy)]
pub enum Removal {
    ReportOnly,
    /// The caller has the lock on the data directory.
    Remove,
    /// A server has the lock.
    Locked,
}

pub async fn check(store: &Store, repositories: &Repositories, report: &mut Report, removal: Removal) -> Result<()> {
    // Directories first: a repository that is created meanwhile is in the database by the time of the lookup.
    let directories = repositories.list_directories()?;
    let mut db = store.read().await?;
    for (repo, directory) in directories {
        let is_used =
            objects::store::exists(&mut db, repo).await? || deletion::store::is_deleted(&mut db, repo).await?;
        if is_used || !Repositories::is_abandoned(&directory) {
            continue;
        }
        let finding = Finding::new(Kind::Orphan, "no repository has this directory".into()).at(&directory);
        report.add(finding.with(remove(removal, || repositories.delete(repo))));
    }
    for path in repositories.leftovers()? {
        // While a server runs, it may be using recent ones.
        if Repositories::is_abandoned(&path) || matches!(removal, Removal::Remove) {
            let finding = Finding::new(Kind::Leftover, "left by a process that did not finish".into()).at(&path);
            report.add(finding.with(remove(removal, || remove_path(&path))));
        }
    }
    Ok(())
}

fn remove(removal: Removal, remove: impl FnOnce() -> Result<()>) -> Repair {
    match removal {
        Removal::ReportOnly => Repair::Possible,
        Removal::Locked => Repair::NeedsOwner,
        Removal::Remove => match remove() {
            Ok(()) => Repair::Done,
            Err(error) => Repair::Failed(error.to_string()),
        },
    }
}

fn remove_path(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    Ok(removed?)
}
