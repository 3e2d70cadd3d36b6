//! `plinth import`: copies a local Git repository into an empty one, all of it or nothing.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::lookup::find_repo;
use crate::operator::Operator;
use crate::state_file::histories::{importable, set_refs, targets};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_core::objects::shared;
use plinth_core::refs::{self, Target};
use plinth_core::{pulls, repos};
use plinth_git::{NoObjects, PackLimits, RefName, Repositories, SharedPack, Staged};
use plinth_store::{Store, Transaction};

/// Progress is reported each time so many bytes are copied.
const PROGRESS_BYTES: u64 = 16 << 20;

/// The input of the transaction.
struct Import {
    name: String,
    repositories: Arc<Repositories>,
    staged: Staged,
    /// The packs, if several servers share them.
    uploaded: Vec<SharedPack>,
    refs: Vec<(RefName, Target)>,
    /// E-mail addresses of the authors of the default branch.
    authors: Vec<String>,
    default_branch: Option<String>,
    now: Timestamp,
}

/// The result of the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Imported,
    Unchanged,
}

pub async fn run(
    store: &Store,
    repositories: Arc<Repositories>,
    (name, source): (String, &Path),
    now: Timestamp,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    find_repo(&mut store.read().await?, &name).await?;
    let staged = repositories.stage()?;
    writeln!(out, "reading {}", source.display())?;
    let imported = copy(&staged, source, out)?;
    let refs = targets(&staged, &importable(imported.refs))?;
    let branch = imported.default_branch.as_ref().and_then(|head| head.as_str().strip_prefix("refs/heads/"));
    let (count, default_branch) = (refs.len(), branch.map(str::to_owned));
    let tip = imported.default_branch.and_then(|head| refs.iter().find(|(name, _)| *name == head));
    let authors = match tip {
        Some((_, target)) => pulls::authors(&staged.reader(&NoObjects), None, target.sha)?,
        None => Vec::new(),
    };
    let upload = move || repositories.upload(&staged).map(|uploaded| (repositories, staged, uploaded));
    let uploaded = tokio::task::spawn_blocking(upload).await;
    let (repositories, staged, uploaded) = uploaded.map_err(|error| Error::internal(error.to_string()))??;
    let import = Import { name: name.clone(), repositories, staged, uploaded, refs, authors, default_branch, now };
    match store.write(Operator, import, |tx, import| Box::pin(apply(tx, import))).await? {
        Outcome::Imported => writeln!(out, "imported {count} references into {name}")?,
        Outcome::Unchanged => writeln!(out, "{name} has these {count} references already")?,
    }
    Ok(())
}

/// Blocks the thread, which is fine: nothing else runs in this process.
fn copy(staged: &Staged, source: &Path, out: &mut (dyn Write + Send)) -> Result<plinth_git::Imported> {
    let mut reported = 0;
    let imported = staged.import(source, PackLimits::default(), &mut |bytes| {
        if bytes >= reported + PROGRESS_BYTES {
            reported = bytes;
            // The import continues even if nobody reads its output any more.
            let _ = writeln!(out, "copied {} MiB", bytes >> 20);
        }
    });
    imported.map_err(|error| Error::BadRequest(error.to_string()))
}

async fn apply(tx: &mut Transaction, import: &Import) -> Result<Outcome> {
    let found = find_repo(tx, &import.name).await?;
    let id = found.repo.id;
    if !refs::store::list(tx, id, "", "", 1).await?.is_empty() {
        check_same(tx, id, import).await?;
        return Ok(Outcome::Unchanged);
    }
    import.repositories.adopt(&import.staged, id)?;
    for pack in &import.uploaded {
        shared::store::insert(tx, id, pack, import.now).await?;
    }
    set_refs(tx, id, &import.refs, import.now).await?;
    for email in &import.authors {
        pulls::store::insert_contributor(tx, id, email).await?;
    }
    if let Some(branch) = &import.default_branch {
        repos::operations::update_default_branch(tx, id, branch, None, import.now).await?;
    }
    Ok(Outcome::Imported)
}

/// An import never changes existing references.
async fn check_same(tx: &mut Transaction, id: RepoId, import: &Import) -> Result<()> {
    for (name, target) in &import.refs {
        if refs::store::find(tx, id, name).await?.is_none_or(|found| found.target != target.sha) {
            return Err(Error::BadRequest(format!(
                "{} has references already, and {name} is not the same there: import into a new repository",
                import.name
            )));
        }
    }
    Ok(())
}
