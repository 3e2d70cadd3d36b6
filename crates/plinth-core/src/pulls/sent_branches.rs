//! What a change of refs reads about pull requests, in the same round trip.

use super::model::AffectedPull;
use super::store;
use crate::refs::Change;
use plinth_base::error::Result;
use plinth_base::ids::RepoId;
use plinth_store::{Sent, Transaction};

const BRANCHES: &str = "refs/heads/";

/// What [`refs_moved`](super::refs_moved) reads first, sent together with the changes themselves.
pub struct SentBranches {
    /// With whether there is an open pull request.
    pub default_branch: Sent<Vec<(String, bool)>>,
    /// The pull requests of a branch, if the changes are about one. Those of several may affect each other.
    pub affected: Option<Sent<Vec<AffectedPull>>>,
}

pub async fn send_branches(tx: &mut Transaction, repo: RepoId, changes: &[Change]) -> Result<SentBranches> {
    let default_branch = store::send_default_branch(tx, repo).await?;
    let mut branches = changes.iter().filter_map(|change| change.name.as_str().strip_prefix(BRANCHES));
    let affected = match (branches.next(), branches.next()) {
        (Some(branch), None) if tx.sends_together() => Some(store::send_affected(tx, repo, branch).await?),
        _ => None,
    };
    Ok(SentBranches { default_branch, affected })
}
