//! Computing the positions of threads in a pull request version, and storing them.

use super::{DiffLocation, Position, Thread, store};
use crate::Core;
use crate::pulls::diff_context::{DiffContext, Range, with_diff_context, within_budget};
use crate::pulls::model::Version;
use crate::pulls::store as pulls;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{PullId, RepoId, Sha};
use plinth_git::diff::{self, Anchor};
use plinth_store::{Connection, internal_authority};

/// Versions that are searched for the last one in which a thread had a position.
const VERSIONS_MAX: i64 = 1_000;
/// Threads that are re-anchored at once.
const BATCH: i64 = 100;
/// Rows per transaction, so that other writers do not wait long.
const TRANSACTION_ROWS_MAX: usize = 250;

internal_authority!(
    /// Computes data from commits and comments that are stored already.
    Reanchor = "maintenance/reanchor-comments", in_repo
);

/// The positions of threads in one version of their pull request.
pub async fn find_positions(
    core: &Core,
    repo: RepoId,
    pull: PullId,
    version: &Version,
    threads: Vec<Thread>,
) -> Result<Vec<Position>> {
    let (threads, locations) = port(core, repo, version, threads).await?;
    let mut outdated = Vec::new();
    for (thread, location) in threads.iter().zip(&locations) {
        if location.is_none() {
            outdated.push(history_of(&mut core.read().await?, pull, version, thread).await?);
        }
    }
    let mut commits = last_heads(core, repo, outdated).await?.into_iter();
    let positions = locations.into_iter().map(|location| match location {
        Some(location) => Some(Position { commit: version.head_sha, location: Some(location) }),
        None => commits.next().map(|commit| Position { commit, location: None }),
    });
    positions.collect::<Option<Vec<_>>>().ok_or_else(|| Error::internal("a thread without a position has no commit"))
}

/// Computes and stores the positions of all threads of a pull request in its last version.
pub async fn reanchor(core: &Core, repo: RepoId, pull: PullId, version: &Version, range: Range) -> Result<()> {
    let mut after = 0;
    loop {
        let mut db = core.read().await?;
        let threads = store::list_without_position(&mut db, pull, &range, (after, BATCH)).await?;
        drop(db);
        let Some(last) = threads.last() else { return Ok(()) };
        after = last.id;
        let ids: Vec<i64> = threads.iter().map(|thread| thread.id).collect();
        let positions = find_positions(core, repo, pull, version, threads).await?;
        let rows: Vec<_> = ids.into_iter().zip(positions).collect();
        for rows in rows.chunks(TRANSACTION_ROWS_MAX) {
            let changes = (rows.to_vec(), range, pull, version.number);
            let work = core.store.write(Reanchor(repo), changes, |tx, (rows, range, pull, version)| {
                Box::pin(async move {
                    // The commit of an outdated thread depends on the versions before, so only the last version's is stored:
                    // the range may come back.
                    let is_last = store::find_last_version(tx, *pull).await? == Some(*version);
                    for (thread, position) in rows.iter().filter(|(_, found)| is_last || found.location.is_some()) {
                        store::insert_position(tx, *thread, range, position).await?;
                    }
                    Ok(())
                })
            });
            // If a thread was deleted meanwhile, its batch is not stored; readers compute these positions themselves.
            work.await.or_else(|error| if is_deleted(&error) { Ok(()) } else { Err(error) })?;
        }
    }
}

fn is_deleted(error: &Error) -> bool {
    let Error::Internal(cause) = error else { return false };
    matches!(cause.downcast_ref::<plinth_store::DbError>(), Some(plinth_store::DbError::ForeignKey))
}

/// One comparison for all threads, on a blocking thread.
async fn port(
    core: &Core,
    repo: RepoId,
    version: &Version,
    threads: Vec<Thread>,
) -> Result<(Vec<Thread>, Vec<Option<DiffLocation>>)> {
    if threads.is_empty() {
        return Ok((threads, Vec::new()));
    }
    let version = *version;
    with_diff_context(core, repo, move |diff| {
        let anchors = threads.iter().map(Thread::anchor).collect::<Result<Vec<_>>>()?;
        let locations = port_to(&diff, &version, &anchors)?;
        Ok((threads, locations))
    })
    .await
}

fn port_to(diff: &DiffContext<'_>, version: &Version, anchors: &[Anchor]) -> Result<Vec<Option<DiffLocation>>> {
    let target = diff.between(&diff.range(version)?);
    // A position that is too expensive to compute counts as outdated.
    let Some(ports) = within_budget(diff::reanchor(diff.reader, &target, anchors))? else {
        return Ok(vec![None; anchors.len()]);
    };
    Ok(ports.iter().map(DiffLocation::of).collect())
}

/// Where to look for the last head in which an outdated thread had a position.
struct History {
    anchor: Anchor,
    /// Newest first.
    versions: Vec<Version>,
    /// The result if none of them has one.
    default: Sha,
}

async fn history_of(db: &mut Connection, pull: PullId, version: &Version, thread: &Thread) -> Result<History> {
    let known = store::find_last_known(db, pull, thread.id, version.number).await?;
    let (after, default) = known.unwrap_or((thread.version - 1, thread.head_sha));
    let versions = pulls::list_versions(db, pull, (after, version.number), VERSIONS_MAX).await?;
    Ok(History { anchor: thread.anchor()?, versions, default })
}

async fn last_heads(core: &Core, repo: RepoId, outdated: Vec<History>) -> Result<Vec<Sha>> {
    if outdated.iter().all(|history| history.versions.is_empty()) {
        return Ok(outdated.into_iter().map(|history| history.default).collect());
    }
    with_diff_context(core, repo, move |diff| outdated.iter().map(|history| last_head(&diff, history)).collect()).await
}

fn last_head(diff: &DiffContext<'_>, history: &History) -> Result<Sha> {
    for version in &history.versions {
        let found = port_to(diff, version, std::slice::from_ref(&history.anchor));
        match found {
            Ok(locations) if locations.iter().any(Option::is_some) => return Ok(version.head_sha),
            Ok(_) | Err(Error::NotFound) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(history.default)
}
