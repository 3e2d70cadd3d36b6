//! `plinth import`: a repository that lies in a folder becomes one of ours, wholly or not at all.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::entities::find_repo;
use super::operator::Operator;
use super::state::histories::{importable, set_refs, targets};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_core::refs::{self, Target};
use plinth_core::{pulls, repos};
use plinth_git::{NoObjects, PackLimits, RefName, Repositories, Staged};
use plinth_store::{Store, Transaction};

/// Progress is told once in so many bytes.
const PROGRESS_BYTES: u64 = 16 << 20;

/// What the transaction needs.
struct Import {
    name: String,
    repositories: Arc<Repositories>,
    staged: Staged,
    refs: Vec<(RefName, Target)>,
    /// Email addresses of those who wrote the default branch.
    authors: Vec<String>,
    default_branch: Option<String>,
    now: Timestamp,
}

/// What the transaction found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Imported,
    ThereAlready,
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
    let tip = imported.default_branch.and_then(|head| refs.iter().find(|(known, _)| *known == head));
    let authors = match tip {
        Some((_, target)) => pulls::authors(&staged.reader(&NoObjects), None, target.sha)?,
        None => Vec::new(),
    };
    let import = Import { name: name.clone(), repositories, staged, refs, authors, default_branch, now };
    match store.write(Operator, import, |tx, import| Box::pin(apply(tx, import))).await? {
        Outcome::Imported => writeln!(out, "imported {count} references into {name}")?,
        Outcome::ThereAlready => writeln!(out, "{name} has these {count} references already")?,
    }
    Ok(())
}

/// Nothing else runs in this process, so the copying may block.
fn copy(staged: &Staged, source: &Path, out: &mut (dyn Write + Send)) -> Result<plinth_git::Imported> {
    let mut told = 0;
    let imported = staged.import(source, PackLimits::default(), &mut |bytes| {
        if bytes >= told + PROGRESS_BYTES {
            told = bytes;
            // Whoever does not listen any more still gets the import.
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
        return Ok(Outcome::ThereAlready);
    }
    import.repositories.adopt(&import.staged, id)?;
    set_refs(tx, id, &import.refs, import.now).await?;
    for email in &import.authors {
        pulls::store::insert_contributor(tx, id, email).await?;
    }
    if let Some(branch) = &import.default_branch {
        repos::store::update_default_branch(tx, id, branch, import.now).await?;
    }
    Ok(Outcome::Imported)
}

/// What is there already is never changed by an import.
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
