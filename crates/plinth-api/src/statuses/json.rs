//! Statuses on the wire.

use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::json::User;
use crate::repos::json::Repository;
use crate::wire::Word;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{NodeId, Sha, StatusId};
use plinth_base::urls::Part::Fixed;
use plinth_base::urls::{Url, Urls};
use plinth_core::repos::Repo;
use plinth_core::statuses::{CommitStatus, Counts, StatusState};

/// A status without its creator.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "simple-commit-status")]
pub struct SimpleStatus<'a> {
    url: Url<'a>,
    /// The avatar of the creator.
    avatar_url: Option<Url<'a>>,
    id: StatusId,
    node_id: String,
    state: Word<StatusState>,
    description: Option<&'a str>,
    target_url: Option<&'a str>,
    context: &'a str,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> SimpleStatus<'a> {
    pub fn new(status: &'a CommitStatus, repo: &'a Repo, urls: &'a Urls) -> Self {
        Self {
            url: urls.status(&repo.owner_login, &repo.name, status.sha),
            avatar_url: status.creator.as_ref().map(|creator| urls.avatar(creator.id)),
            id: status.id,
            node_id: NodeId::new("SC", 0).number(status.id.0).finish(),
            state: Word(status.state),
            description: status.description.as_deref(),
            target_url: status.target_url.as_deref(),
            context: &status.context,
            created_at: status.created_at,
            updated_at: status.created_at,
        }
    }
}

/// A status of a commit.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "status")]
pub struct Status<'a> {
    #[serde(flatten)]
    status: SimpleStatus<'a>,
    /// Null if the account was deleted.
    creator: Option<User<'a>>,
}

impl<'a> Status<'a> {
    pub fn new(status: &'a CommitStatus, repo: &'a Repo, urls: &'a Urls) -> Self {
        let creator = status.creator.as_ref();
        Self {
            status: SimpleStatus::new(status, repo, urls),
            creator: creator.map(|user| User::from_parts(user.id, user.kind, &user.login, user.site_admin, urls)),
        }
    }
}

/// The latest statuses of a commit, one for each context, and their sum.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "combined-commit-status")]
pub struct CombinedStatus<'a> {
    /// `failure` if a context has `error` or `failure`, else `pending` if one has that or there are none, else `success`.
    state: Word<StatusState>,
    statuses: Vec<SimpleStatus<'a>>,
    sha: Sha,
    /// The number of contexts.
    total_count: i64,
    repository: Repository<'a>,
    commit_url: Url<'a>,
    url: Url<'a>,
}

impl<'a> CombinedStatus<'a> {
    pub fn new(sha: Sha, (counts, statuses): (Counts, &'a [CommitStatus]), repo: &'a Repo, urls: &'a Urls) -> Self {
        let commit_url = urls.commit(&repo.owner_login, &repo.name, sha);
        Self {
            state: Word(counts.state()),
            statuses: statuses.iter().map(|status| SimpleStatus::new(status, repo, urls)).collect(),
            sha,
            total_count: counts.total(),
            repository: Repository::new(repo, urls),
            commit_url,
            url: commit_url.then(Fixed("/status")),
        }
    }
}
