//! Creating statuses. They never change.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, ObjectKind, RepoId, Sha};
use plinth_store::Transaction;

use super::{CommitStatus, NewStatus, events, rules, store};
use crate::Core;
use crate::access::WriteAccess;
use crate::repos::RepoTarget;

/// Creates a status of the commit with this id.
pub async fn create(core: &Core, access: &WriteAccess<RepoTarget>, sha: &str, new: NewStatus) -> Result<CommitStatus> {
    let repo = access.repo.id;
    let commit: Sha = sha.parse().map_err(|_| rules::no_commit(sha))?;
    rules::check(&new)?;
    let kind = core.objects.read(repo, move |reader| reader.kind_of(&commit)).await?;
    if kind != Some(ObjectKind::Commit) {
        return Err(rules::no_commit(sha));
    }
    let context = (repo, commit, new, (access.author()?, core.clock.now()));
    access.write(context, |tx, (repo, sha, new, by)| Box::pin(insert(tx, (*repo, *sha), new, *by))).await
}

/// Creates a status unless the latest one of its context says the same, and returns whether it did.
pub async fn ensure(
    tx: &mut Transaction,
    (repo, sha): (RepoId, Sha),
    new: &NewStatus,
    by: (AccountId, Timestamp),
) -> Result<bool> {
    let latest = store::find_latest(tx, repo, sha, &rules::context_key(&new.context)).await?;
    if latest.is_some_and(|latest| rules::says_same(&latest, new)) {
        return Ok(false);
    }
    insert(tx, (repo, sha), new, by).await?;
    Ok(true)
}

async fn insert(
    tx: &mut Transaction,
    (repo, sha): (RepoId, Sha),
    new: &NewStatus,
    by: (AccountId, Timestamp),
) -> Result<CommitStatus> {
    let key = rules::context_key(&new.context);
    let before = store::find_latest_number(tx, repo, sha, &key).await?;
    if before >= rules::STATUSES_MAX {
        return Err(rules::too_many());
    }
    if before > 0 {
        store::supersede(tx, (repo, sha), &key, before).await?;
    }
    let id = store::insert(tx, (repo, sha, before + 1), new, by).await?;
    let status = store::find(tx, id).await?.ok_or_else(|| Error::internal("a status was just stored"))?;
    events::record(tx, repo, &status, by).await?;
    Ok(status)
}
