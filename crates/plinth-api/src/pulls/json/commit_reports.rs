//! Statuses and check runs of a commit on the wire. There are none, but tools ask for them before they merge.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::repos::json::Repository;
use plinth_base::ids::Sha;
use plinth_base::urls::{Url, Urls};
use plinth_core::repos::Repo;

/// The statuses of a commit and their sum.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "combined-commit-status")]
pub struct CombinedStatus<'a> {
    /// `pending`, as for every commit without statuses.
    state: &'static str,
    #[schemars(extend("maxItems" = 0))]
    statuses: Vec<Value>,
    sha: Sha,
    total_count: i64,
    repository: Repository<'a>,
    commit_url: Url<'a>,
    url: String,
}

impl<'a> CombinedStatus<'a> {
    pub fn none(sha: Sha, repo: &'a Repo, urls: &'a Urls) -> Self {
        let commit_url = urls.commit(&repo.owner_login, &repo.name, sha);
        Self {
            state: "pending",
            statuses: Vec::new(),
            sha,
            total_count: 0,
            repository: Repository::new(repo, urls),
            url: format!("{commit_url}/status"),
            commit_url,
        }
    }
}

/// The check runs of a commit.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct CheckRuns {
    total_count: i64,
    #[schemars(extend("maxItems" = 0))]
    check_runs: Vec<Value>,
}

impl CheckRuns {
    pub fn none() -> Self {
        Self { total_count: 0, check_runs: Vec::new() }
    }
}
