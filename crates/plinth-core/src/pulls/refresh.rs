//! What is found out about commits after branches have moved. Nobody waits for it: whoever reads before it is done
//! finds the same out for themselves.

use std::collections::{BTreeSet, HashSet};

use super::model::Version;
use super::moves::Moved;
use super::range::{Range, with_diff_context, within_budget};
use super::{store, threads};
use crate::Core;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{PullId, RepoId, Sha};
use plinth_git::Reader;
use plinth_store::internal_authority;

/// Pull requests that one move has looked at; the others wait for their first reader.
const PULLS_MAX: usize = 100;
/// Commits whose authors one move makes known.
const COMMITS_MAX: usize = 10_000;
/// No account has a longer address.
const EMAIL_BYTES_MAX: usize = 1_000;
/// Rows that one transaction inserts, so that nobody waits long to write.
const TRANSACTION_ROWS_MAX: usize = 500;

internal_authority!(
    /// What follows from commits that are there already.
    Refresh = "maintenance/refresh-pulls", in_repo
);

/// Begins the work; call it after the transaction in which [`super::refs_moved`] ran.
pub fn refresh_later(core: &Core, repo: RepoId, moved: Moved) {
    if moved.is_empty() {
        return;
    }
    let core = core.clone();
    tokio::spawn(async move {
        if let Err(error) = refresh(&core, repo, &moved).await {
            tracing::warn!(%repo, %error, "comments were not moved ahead of time");
        }
    });
}

/// The same work, for those who want to wait.
pub async fn refresh(core: &Core, repo: RepoId, moved: &Moved) -> Result<()> {
    note_contributors(core, repo, moved).await?;
    let mut outcome = Ok(());
    for pull in moved.pulls.iter().take(PULLS_MAX) {
        if let Err(error) = refresh_pull(core, repo, *pull).await {
            if !is_worth_another_attempt(&error) {
                mark_attempted(core, repo, *pull, Some(core.clock.now())).await?;
            }
            outcome = Err(error);
        }
    }
    outcome
}

/// Settles open pull requests that nobody looked at after their last move: a state file made them, or the service was
/// stopped in between. Until then each of their readers finds the same things out again.
pub async fn catch_up(core: &Core) -> Result<()> {
    let unsettled = store::list_unsettled(&mut core.read().await?, PULLS_MAX).await?;
    for (repo, pull) in unsettled {
        // Before the attempt: whatever comes of it, even the end of the process, it is not made again.
        mark_attempted(core, repo, pull, Some(core.clock.now())).await?;
        if let Err(error) = refresh_pull(core, repo, pull).await {
            tracing::warn!(%repo, %error, "could not refresh a pull request");
            if is_worth_another_attempt(&error) {
                mark_attempted(core, repo, pull, None).await?;
            }
        }
    }
    Ok(())
}

/// Too much was going on, or the history is not indexed yet: later it may be otherwise.
fn is_worth_another_attempt(error: &Error) -> bool {
    matches!(error, Error::Unavailable(_))
}

/// Notes when the last version of a pull request was looked at in the background, which is done once.
async fn mark_attempted(core: &Core, repo: RepoId, pull: PullId, at: Option<Timestamp>) -> Result<()> {
    core.store
        .write(Refresh(repo), (pull, at), |tx, (pull, at)| {
            Box::pin(async move { Ok(store::update_attempted(tx, *pull, *at).await?) })
        })
        .await
}

/// Finds the merge base of a pull request's last version, the places of its threads in it, and its counts. What is over
/// budget is left out, and the version is settled all the same: its counts are stored, as far as they go.
pub async fn refresh_pull(core: &Core, repo: RepoId, pull: PullId) -> Result<()> {
    let Some(found) = store::find_by_id(&mut core.read().await?, pull).await? else { return Ok(()) };
    let version = found.version;
    let base = match version.merge_base {
        Some(known) => Some(known),
        None => within_budget(find_merge_base(core, repo, pull, version).await)?,
    };
    // Pages of comments are asked for right after a push; the counts take longer, since they need every file.
    if let Some(base) = base {
        let range = Range { base, head: version.head_sha };
        threads::reanchor(core, repo, pull, &version, range).await?;
    }
    match version.size {
        Some(_) => Ok(()),
        None => measure(core, repo, pull, version).await,
    }
}

async fn find_merge_base(core: &Core, repo: RepoId, pull: PullId, version: Version) -> Result<Sha> {
    let base = with_diff_context(core, repo, move |desk| Ok(desk.range(&version)?.base)).await?;
    core.store
        .write(Refresh(repo), (pull, version.number, base), |tx, (pull, number, base)| {
            Box::pin(async move { Ok(store::update_merge_base(tx, *pull, *number, *base).await?) })
        })
        .await?;
    Ok(base)
}

async fn measure(core: &Core, repo: RepoId, pull: PullId, version: Version) -> Result<()> {
    let size = with_diff_context(core, repo, move |desk| desk.size(&version)).await?;
    core.store
        .write(Refresh(repo), (pull, version.number, size), |tx, (pull, number, size)| {
            Box::pin(async move { Ok(store::update_size(tx, *pull, *number, size).await?) })
        })
        .await
}

/// Authors of commits on the default branch are contributors.
async fn note_contributors(core: &Core, repo: RepoId, moved: &Moved) -> Result<()> {
    let Some((old, new)) = moved.default_branch else { return Ok(()) };
    let emails = within_budget(with_diff_context(core, repo, move |desk| authors(desk.reader, old, new)).await)?
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

/// Email addresses of those who wrote the commits that `new` has and `old` has not, as far as the limit allows.
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
