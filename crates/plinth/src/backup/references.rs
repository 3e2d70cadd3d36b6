//! Checks that every object that the database names exists in the packs or in the database.

use std::path::Path;

use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};
use plinth_core::{objects, pulls, refs};
use plinth_git::{PackIndexes, pack_directory};
use plinth_store::Connection;

const REPOS_PER_BATCH: i64 = 1_000;
const REFS_PER_BATCH: i64 = 10_000;
/// Enough to see the extent of the damage.
const REPORTED_MAX: usize = 100;

/// Returns a message for each reference, pull request version or comment whose object is missing.
pub async fn missing_objects(db: &mut Connection, repositories: &Path) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    let mut after = RepoId(0);
    while missing.len() < REPORTED_MAX {
        let batch = objects::store::list_repos(db, after, REPOS_PER_BATCH).await?;
        let Some(last) = batch.last() else { break };
        after = last.repo;
        for listed in batch {
            missing.extend(missing_in(db, repositories, listed.repo).await?);
        }
    }
    missing.truncate(REPORTED_MAX);
    Ok(missing)
}

async fn missing_in(db: &mut Connection, repositories: &Path, repo: RepoId) -> Result<Vec<String>> {
    let packs = PackIndexes::open(&repositories.join(pack_directory(repo)))?;
    let mut missing = Vec::new();
    let mut after = String::new();
    loop {
        let batch = refs::store::list(db, repo, "", &after, REFS_PER_BATCH).await?;
        let Some(last) = batch.last() else { break };
        after = last.name.to_string();
        for reference in batch {
            if !exists(db, &packs, repo, reference.target).await? {
                missing.push(format!(
                    "repository {repo}: {} is at {}, which is missing",
                    reference.name, reference.target
                ));
            }
        }
    }
    for sha in pulls::gc_roots(db, repo).await? {
        if !exists(db, &packs, repo, sha).await? {
            missing.push(format!("repository {repo}: a pull request needs {sha}, which is missing"));
        }
    }
    Ok(missing)
}

async fn exists(db: &mut Connection, packs: &PackIndexes, repo: RepoId, sha: Sha) -> Result<bool> {
    Ok(packs.contain(&sha) || objects::store::find(db, repo, sha).await?.is_some())
}
