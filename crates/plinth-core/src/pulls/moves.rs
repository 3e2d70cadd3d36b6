//! What moving branches do to pull requests, in the transaction that moves them.

use super::model::{Concerned, PullState};
use super::store;
use crate::refs::{self, Change};
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{PullId, RepoId, Sha};
use plinth_git::{ObjectKind, RefName};
use plinth_store::Transaction;

const BRANCHES: &str = "refs/heads/";

/// What has to be looked at once the transaction is over: see [`super::refresh_later()`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moved {
    /// Pull requests with a new version, those with a new head first.
    pub pulls: Vec<PullId>,
    /// From where to where the default branch has moved.
    pub default_branch: Option<(Option<Sha>, Sha)>,
}

impl Moved {
    pub fn is_empty(&self) -> bool {
        self.pulls.is_empty() && self.default_branch.is_none()
    }
}

/// Tells pull requests about references that were changed in this transaction.
///
/// A moved head or base makes a new version, a deleted one closes. What follows from the commits themselves is
/// found out after the transaction, since looking at commits blocks.
pub async fn refs_moved(
    tx: &mut Transaction,
    repo: RepoId,
    changes: impl Iterator<Item = &Change>,
    now: Timestamp,
) -> Result<Moved> {
    let mut moved = Moved::default();
    let mut by_base = Vec::new();
    let branches = changes.filter_map(|change| Some((change.name.as_str().strip_prefix(BRANCHES)?, change)));
    let Some((default_branch, has_open)) = store::find_moving(tx, repo).await? else { return Ok(moved) };
    for (branch, change) in branches.filter(|(_, change)| change.old != change.new.map(|target| target.sha)) {
        if branch == default_branch {
            moved.default_branch = change.new.map(|target| (change.old, target.sha));
        }
        if !has_open {
            continue;
        }
        for pull in store::list_concerned(tx, repo, branch).await? {
            match change.new {
                None => store::update_state(tx, pull.id, PullState::Closed, now).await?,
                Some(target) if pull.head_ref == branch => {
                    add_version(tx, repo, &pull, (pull.base_sha, target.sha), now).await?;
                    moved.pulls.push(pull.id);
                }
                Some(target) => {
                    add_version(tx, repo, &pull, (target.sha, pull.head_sha), now).await?;
                    by_base.push(pull.id);
                }
            }
        }
    }
    moved.pulls.append(&mut by_base);
    Ok(moved)
}

async fn add_version(
    tx: &mut Transaction,
    repo: RepoId,
    pull: &Concerned,
    (base, head): (Sha, Sha),
    now: Timestamp,
) -> Result<()> {
    store::insert_version(tx, pull.id, pull.version + 1, (base, head), now).await?;
    if head != pull.head_sha {
        point_at_head(tx, repo, pull.number, head).await?;
    }
    Ok(())
}

/// Keeps `refs/pull/N/head` at the head: clients fetch it, and it holds the commits.
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
