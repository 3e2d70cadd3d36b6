//! New versions of pull requests when refs move.
//!
//! [`refs_moved`] adds the versions in the transaction that moves the refs. [`refresh_later`] then computes what depends
//! on the commits, in the background: merge base, comment positions, mergeability, size and contributors. A request that
//! needs one of these earlier computes it itself, except for the mergeability, which is unknown until then.

use std::collections::{BTreeSet, HashSet};

use super::diff_context::{Range, with_diff_context, within_budget};
use super::model::{AffectedPull, PullState, Version};
use super::sent_branches::{SentBranches, send_affected};
use super::{events, mergeability, pushed_merge, refresh_store, store, threads};
use crate::Core;
use crate::refs::{self, Change};
use crate::repos;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, PullId, RepoId, Sha};
use plinth_git::{ObjectKind, Reader, RefName};
use plinth_store::{Transaction, internal_authority};

const BRANCHES: &str = "refs/heads/";
/// Pull requests that are refreshed after one change of refs; the others wait for their first reader.
const PULLS_MAX: usize = 100;
/// Commits whose authors are recorded after one change of refs.
const COMMITS_MAX: usize = 10_000;
/// No account has a longer email address.
const EMAIL_BYTES_MAX: usize = 1_000;
/// Rows per transaction, so that other writers do not wait long.
const TRANSACTION_ROWS_MAX: usize = 500;

internal_authority!(
    /// Computes data from commits that are stored already.
    Refresh = "maintenance/refresh-pulls", in_repo
);

/// The work that is left after the transaction that moved refs: pass it to [`refresh_later`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PendingRefresh {
    /// Pull requests with a new version; those with a new head come first.
    pub pulls: Vec<PullId>,
    /// The old and the new tip of the default branch, if it moved.
    pub default_branch: Option<(Option<Sha>, Sha)>,
}

impl PendingRefresh {
    pub fn is_empty(&self) -> bool {
        self.pulls.is_empty() && self.default_branch.is_none()
    }
}

/// Updates pull requests after refs changed in this transaction: a moved head or base adds a version, and a deleted one
/// closes the pull request. A base that moves to the head itself merges the pull request.
///
/// Reading commits blocks, so everything else that depends on them waits until the transaction is over.
pub async fn refs_moved(
    tx: &mut Transaction,
    repo: RepoId,
    (mut sent, changes): (SentBranches, impl Iterator<Item = &Change>),
    (actor, now): (Option<AccountId>, Timestamp),
) -> Result<PendingRefresh> {
    let mut refresh = PendingRefresh::default();
    let mut by_base = Vec::new();
    let branches = changes.filter_map(|change| Some((change.name.as_str().strip_prefix(BRANCHES)?, change)));
    let Some((default_branch, has_open)) = tx.rows(sent.default_branch).await?.pop() else { return Ok(refresh) };
    let mut branches: Vec<_> =
        branches.filter(|(_, change)| change.old != change.new.map(|target| target.sha)).collect();
    // The usual base comes last: if a push moves a head and then brings it into the base, both have to be seen.
    branches.sort_by_key(|(branch, _)| *branch == default_branch);
    for (branch, change) in branches {
        if branch == default_branch {
            refresh.default_branch = change.new.map(|target| (change.old, target.sha));
        }
        if !has_open {
            continue;
        }
        let affected = match sent.affected.take() {
            Some(affected) => affected,
            None => send_affected(tx, repo, branch).await?,
        };
        for pull in tx.rows(affected).await? {
            match change.new {
                None => {
                    store::update_state(tx, pull.id, PullState::Closed, now).await?;
                    events::record_closed(tx, pull.id, actor, now).await?;
                }
                Some(target) if pull.head_ref == branch => {
                    add_version(tx, repo, &pull, (pull.base_sha, target.sha), (actor, now)).await?;
                    events::record_synchronize(tx, pull.id, (pull.head_sha, target.sha), actor, now).await?;
                    refresh.pulls.push(pull.id);
                }
                Some(target) if target.sha == pull.head_sha => {
                    store::update_merged(tx, pull.id, target.sha, actor, now).await?;
                    events::record_closed(tx, pull.id, actor, now).await?;
                }
                Some(target) => {
                    add_version(tx, repo, &pull, (target.sha, pull.head_sha), (actor, now)).await?;
                    by_base.push(pull.id);
                }
            }
        }
    }
    refresh.pulls.append(&mut by_base);
    Ok(refresh)
}

async fn add_version(
    tx: &mut Transaction,
    repo: RepoId,
    pull: &AffectedPull,
    (base, head): (Sha, Sha),
    by: (Option<AccountId>, Timestamp),
) -> Result<()> {
    store::insert_version(tx, pull.id, pull.version + 1, (base, head), by).await?;
    if head != pull.head_sha {
        point_at_head(tx, repo, pull.number, head).await?;
    }
    Ok(())
}

/// Points `refs/pull/N/head` at the head: clients fetch it, and it keeps the commits from garbage collection.
pub async fn point_at_head(tx: &mut Transaction, repo: RepoId, number: i64, head: Sha) -> Result<()> {
    let name = format!("refs/pull/{number}/head");
    let name = RefName::parse(&name).map_err(|error| plinth_base::error::Error::internal(error.to_string()))?;
    let target = refs::Target { sha: head, kind: ObjectKind::Commit };
    match refs::store::find(tx, repo, &name).await? {
        Some(known) => refs::store::update(tx, repo, &name, known.target, target).await?,
        None => refs::store::insert(tx, repo, &name, target).await?,
    };
    Ok(())
}

/// Starts [`refresh`] in the background. Call it after the commit of the transaction in which [`refs_moved`] ran.
pub fn refresh_later(core: &Core, repo: RepoId, pending: PendingRefresh) {
    if pending.is_empty() {
        return;
    }
    let core = core.clone();
    tokio::spawn(async move {
        if let Err(error) = refresh(&core, repo, &pending).await {
            tracing::warn!(%repo, %error, "could not refresh pull requests after refs moved");
        }
    });
}

/// Computes everything that depends on the commits of new versions.
pub async fn refresh(core: &Core, repo: RepoId, pending: &PendingRefresh) -> Result<()> {
    record_contributors(core, repo, pending).await?;
    let mut outcome = Ok(());
    if pending.default_branch.is_some() {
        repos::statistics::refresh_later(core, repo);
    }
    for pull in pending.pulls.iter().take(PULLS_MAX) {
        if let Err(error) = refresh_pull(core, repo, *pull).await {
            if !is_temporary(&error) {
                mark_attempted(core, repo, *pull, Some(core.clock.now())).await?;
            }
            outcome = Err(error);
        }
    }
    outcome
}

/// Refreshes open pull requests that were not refreshed after their last change: a state file created them, or the
/// service stopped first. Until then every reader computes the same data again.
pub async fn catch_up(core: &Core) -> Result<()> {
    let mut after = PullId(0);
    loop {
        let outdated = store::list_not_refreshed(&mut core.read().await?, (after, PULLS_MAX)).await?;
        let Some((_, last)) = outdated.last() else { return Ok(()) };
        after = *last;
        for (repo, pull) in outdated {
            // Recorded first, so that an attempt that crashes the process is not repeated.
            mark_attempted(core, repo, pull, Some(core.clock.now())).await?;
            if let Err(error) = refresh_pull(core, repo, pull).await {
                tracing::warn!(%repo, %error, "could not refresh a pull request");
                if is_temporary(&error) {
                    mark_attempted(core, repo, pull, None).await?;
                }
            }
        }
    }
}

/// The service was busy, or the history is not indexed yet: a later attempt may succeed.
fn is_temporary(error: &Error) -> bool {
    matches!(error, Error::Unavailable(_))
}

/// Records when the last version of a pull request was refreshed; each version gets one attempt.
async fn mark_attempted(core: &Core, repo: RepoId, pull: PullId, at: Option<Timestamp>) -> Result<()> {
    core.store
        .write(Refresh(repo), (pull, at), |tx, (pull, at)| {
            Box::pin(async move { Ok(refresh_store::update_attempted(tx, *pull, *at).await?) })
        })
        .await
}

/// Computes the merge base of a pull request's last version, the positions of its threads, its mergeability and its size. Anything over the
/// object budget is left out; the version still counts as refreshed, with the size as far as it could be counted. A pull
/// request that the move has merged is closed first.
pub async fn refresh_pull(core: &Core, repo: RepoId, pull: PullId) -> Result<()> {
    let _running = core.refreshes.begin(pull);
    let Some(mut found) = store::find_by_id(&mut core.read().await?, pull).await? else { return Ok(()) };
    if pushed_merge::close(core, &found).await? {
        found = store::find_by_id(&mut core.read().await?, pull).await?.ok_or(Error::NotFound)?;
    }
    let version = found.version;
    let base = match version.merge_base {
        Some(known) => Some(known),
        None => within_budget(find_merge_base(core, repo, pull, version).await)?,
    };
    // Positions first: clients list comments right after a push, and the rest takes longer.
    if let Some(base) = base {
        let range = Range { base, head: version.head_sha };
        threads::reanchor(core, repo, pull, &version, range).await?;
    }
    if found.state == PullState::Open && found.test_merge.mergeability.is_none() {
        mergeability::compute(core, &found, base).await?;
    }
    match version.size {
        Some(_) => Ok(()),
        None => measure(core, repo, pull, version).await,
    }
}

async fn find_merge_base(core: &Core, repo: RepoId, pull: PullId, version: Version) -> Result<Sha> {
    let base = with_diff_context(core, repo, move |diff| Ok(diff.range(&version)?.base)).await?;
    let range = Range { base, head: version.head_sha };
    core.store
        .write(Refresh(repo), (pull, version, range), |tx, (pull, version, range)| {
            Box::pin(async move {
                if refresh_store::update_merge_base(tx, *pull, version, range.base).await? {
                    threads::store::delete_outdated(tx, *pull, version.number, range).await?;
                }
                Ok(())
            })
        })
        .await?;
    Ok(base)
}

async fn measure(core: &Core, repo: RepoId, pull: PullId, version: Version) -> Result<()> {
    let size = with_diff_context(core, repo, move |diff| diff.size(&version)).await?;
    core.store
        .write(Refresh(repo), (pull, version, size), |tx, (pull, version, size)| {
            Box::pin(async move { Ok(refresh_store::update_size(tx, *pull, version, size).await?) })
        })
        .await
}

/// Authors of commits on the default branch are contributors.
async fn record_contributors(core: &Core, repo: RepoId, pending: &PendingRefresh) -> Result<()> {
    let Some((old, new)) = pending.default_branch else { return Ok(()) };
    let emails = within_budget(with_diff_context(core, repo, move |diff| authors(diff.reader, old, new)).await)?
        .unwrap_or_default();
    for emails in emails.chunks(TRANSACTION_ROWS_MAX) {
        let work = core.store.write(Refresh(repo), (repo, emails.to_vec()), |tx, (repo, emails)| {
            Box::pin(async move {
                for email in emails {
                    store::insert_contributor(tx, *repo, email).await?;
                }
                Ok(())
            })
        });
        work.await?;
    }
    Ok(())
}

/// Email addresses of the authors of the commits that are in `new` and not in `old`, up to the limit.
pub fn authors(reader: &Reader<'_>, old: Option<Sha>, new: Sha) -> Result<Vec<String>> {
    let mut waiting = vec![new];
    let mut seen = HashSet::from([new]);
    seen.extend(old);
    let mut emails = BTreeSet::new();
    while let Some(sha) = waiting.pop() {
        let Some(commit) = reader.find_commit(&sha)? else { continue };
        let email = commit.author.email.to_ascii_lowercase();
        if !email.contains('\0') && email.len() <= EMAIL_BYTES_MAX {
            emails.insert(email);
        }
        let unseen = commit.parent_ids.into_iter().filter(|parent| seen.insert(*parent));
        waiting.extend(unseen);
        if seen.len() > COMMITS_MAX {
            break;
        }
    }
    Ok(emails.into_iter().collect())
}
