//! Finding where threads are, many at once, and remembering it.

use super::{Place, Spot, Thread, store};
use crate::Core;
use crate::pulls::model::Version;
use crate::pulls::range::{DiffContext, Range, with_diff_context, within_budget};
use crate::pulls::store as pulls;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{PullId, RepoId, Sha};
use plinth_git::diff::{self, Anchor};
use plinth_store::{Connection, internal_authority};

/// Versions that are looked through for the last one on which a place existed.
const VERSIONS_MAX: i64 = 1_000;
/// Threads that are placed in one go.
const BATCH: i64 = 100;
/// Rows that one transaction inserts, so that nobody waits long to write.
const TRANSACTION_ROWS_MAX: usize = 250;

internal_authority!(
    /// What follows from commits and comments that are there already.
    Reanchor = "maintenance/reanchor-comments", in_repo
);

/// The places of threads of one pull request, in one of its versions.
pub async fn place(
    core: &Core,
    repo: RepoId,
    pull: PullId,
    version: &Version,
    threads: Vec<Thread>,
) -> Result<Vec<Place>> {
    let (threads, spots) = port(core, repo, version, threads).await?;
    let mut lost = Vec::new();
    for (thread, spot) in threads.iter().zip(&spots) {
        if spot.is_none() {
            lost.push(history_of(&mut core.read().await?, pull, version, thread).await?);
        }
    }
    let mut commits = last_heads(core, repo, lost).await?.into_iter();
    let placed = spots.into_iter().map(|spot| match spot {
        Some(spot) => Some(Place { commit: version.head_sha, spot: Some(spot) }),
        None => commits.next().map(|commit| Place { commit, spot: None }),
    });
    placed.collect::<Option<Vec<_>>>().ok_or_else(|| Error::internal("every lost thread was looked for"))
}

/// Finds and stores the places of all threads of a pull request in its last version.
pub async fn reanchor(core: &Core, repo: RepoId, pull: PullId, version: &Version, range: Range) -> Result<()> {
    let mut after = 0;
    loop {
        let mut db = core.read().await?;
        let threads = store::list_unplaced(&mut db, pull, &range, (after, BATCH)).await?;
        drop(db);
        let Some(last) = threads.last() else { return Ok(()) };
        after = last.id;
        let ids: Vec<i64> = threads.iter().map(|thread| thread.id).collect();
        let places = place(core, repo, pull, version, threads).await?;
        let rows: Vec<_> = ids.into_iter().zip(places).collect();
        for rows in rows.chunks(TRANSACTION_ROWS_MAX) {
            let work = core.store.write(Reanchor(repo), (rows.to_vec(), range), |tx, (rows, range)| {
                Box::pin(async move {
                    for (thread, place) in rows {
                        store::insert_position(tx, *thread, range, place).await?;
                    }
                    Ok(())
                })
            });
            // A thread that was deleted meanwhile takes the others of its batch with it; they are found when asked for.
            work.await.or_else(|error| if is_gone(&error) { Ok(()) } else { Err(error) })?;
        }
    }
}

fn is_gone(error: &Error) -> bool {
    let Error::Internal(cause) = error else { return false };
    matches!(cause.downcast_ref::<plinth_store::DbError>(), Some(plinth_store::DbError::ForeignKey))
}

/// One comparison for all of them, behind the doorway.
async fn port(
    core: &Core,
    repo: RepoId,
    version: &Version,
    threads: Vec<Thread>,
) -> Result<(Vec<Thread>, Vec<Option<Spot>>)> {
    if threads.is_empty() {
        return Ok((threads, Vec::new()));
    }
    let version = *version;
    with_diff_context(core, repo, move |desk| {
        let anchors = threads.iter().map(Thread::anchor).collect::<Result<Vec<_>>>()?;
        let spots = port_to(&desk, &version, &anchors)?;
        Ok((threads, spots))
    })
    .await
}

fn port_to(desk: &DiffContext<'_>, version: &Version, anchors: &[Anchor]) -> Result<Vec<Option<Spot>>> {
    let target = desk.between(&desk.range(version)?);
    // A place that it would take too much to find is gone.
    let Some(ports) = within_budget(diff::port(desk.reader, &target, anchors))? else {
        return Ok(vec![None; anchors.len()]);
    };
    Ok(ports.iter().map(Spot::of).collect())
}

/// Where to look for the last head on which a lost thread had a place.
struct History {
    anchor: Anchor,
    /// Newest first.
    versions: Vec<Version>,
    /// What holds if none of them has it.
    otherwise: Sha,
}

async fn history_of(db: &mut Connection, pull: PullId, version: &Version, thread: &Thread) -> Result<History> {
    let known = store::find_last_known(db, pull, thread.id, version.number).await?;
    let (after, otherwise) = known.unwrap_or((thread.version - 1, thread.head_sha));
    let versions = pulls::list_versions(db, pull, (after, version.number), VERSIONS_MAX).await?;
    Ok(History { anchor: thread.anchor()?, versions, otherwise })
}

async fn last_heads(core: &Core, repo: RepoId, lost: Vec<History>) -> Result<Vec<Sha>> {
    if lost.iter().all(|history| history.versions.is_empty()) {
        return Ok(lost.into_iter().map(|history| history.otherwise).collect());
    }
    with_diff_context(core, repo, move |desk| lost.iter().map(|history| last_head(&desk, history)).collect()).await
}

fn last_head(desk: &DiffContext<'_>, history: &History) -> Result<Sha> {
    for version in &history.versions {
        let found = port_to(desk, version, std::slice::from_ref(&history.anchor));
        match found {
            Ok(spots) if spots.iter().any(Option::is_some) => return Ok(version.head_sha),
            Ok(_) | Err(Error::NotFound) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(history.otherwise)
}
