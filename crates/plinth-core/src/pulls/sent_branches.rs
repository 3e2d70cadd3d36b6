//! What a change of refs reads about pull requests, in the same round trip.

use super::model::AffectedPull;
use plinth_base::error::Result;
use plinth_base::ids::{RefName, RepoId};
use plinth_store::{DbError, RowStatement, Sent, Transaction, lists, params};

const BRANCHES: &str = "refs/heads/";

/// What [`refs_moved`](super::refs_moved) reads first, sent together with the changes themselves.
pub struct SentBranches {
    /// With whether there is an open pull request.
    pub default_branch: Sent<Vec<(String, bool)>>,
    /// The pull requests of a branch, if the changes are about one. Those of several may affect each other.
    pub affected: Option<Sent<Vec<AffectedPull>>>,
}

pub async fn send_branches<'a>(
    tx: &mut Transaction,
    repo: RepoId,
    names: impl Iterator<Item = &'a RefName>,
) -> Result<SentBranches> {
    let default_branch = send_default_branch(tx, repo).await?;
    let mut branches = names.filter_map(|name| name.as_str().strip_prefix(BRANCHES));
    let affected = match (branches.next(), branches.next()) {
        (Some(branch), None) if tx.sends_together() => Some(send_affected(tx, repo, branch).await?),
        _ => None,
    };
    Ok(SentBranches { default_branch, affected })
}

/// The default branch of a repository, and whether it has any open pull request.
async fn send_default_branch(db: &mut Transaction, repo: RepoId) -> Result<Sent<Vec<(String, bool)>>, DbError> {
    macro_rules! select {
        ($repo:literal) => {
            concat!(
                "select r.default_branch, exists (select 1 from pull p where p.repo_id = r.id and p.state = 'open') \
                 from repo r where not r.deleted and r.id = ",
                $repo
            )
        };
    }
    if !db.sends_together() {
        return db.send_without_deferred(select!("$1"), params![repo]).await;
    }
    let sql = concat!(
        "select found.*, i.row_number from unnest(",
        lists!("$1": "bigint"),
        ") with ordinality as i (repo_id, row_number) cross join lateral (",
        select!("i.repo_id"),
        " limit 1) found"
    );
    db.send_row(RowStatement { sql, key: None, params: params![repo] }).await
}

/// Open pull requests with this branch as head or base, by id.
pub(super) async fn send_affected(
    db: &mut Transaction,
    repo: RepoId,
    branch: &str,
) -> Result<Sent<Vec<AffectedPull>>, DbError> {
    macro_rules! select {
        ($repo:literal, $branch:literal) => {
            concat!(
                "select p.id, p.number, p.head_ref, p.base_ref, v.base_sha, v.head_sha, v.number from pull p \
                 join pull_version v on v.pull_id = p.id and v.number = p.version where p.repo_id = ",
                $repo,
                " and p.state = 'open' and (p.head_ref = ",
                $branch,
                " or p.base_ref = ",
                $branch,
                ") order by p.id"
            )
        };
    }
    if !db.sends_together() {
        return db.send_without_deferred(select!("$1", "$2"), params![repo, branch]).await;
    }
    let sql = concat!(
        "select found.*, i.row_number from unnest(",
        lists!("$1": "bigint", "$2": "text"),
        ") with ordinality as i (repo_id, branch, row_number) cross join lateral (",
        select!("i.repo_id", "i.branch"),
        ") found"
    );
    db.send_row(RowStatement { sql, key: None, params: params![repo, branch] }).await
}
