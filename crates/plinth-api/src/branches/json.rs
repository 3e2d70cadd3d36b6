//! Branches and tags on the wire.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::pulls::json::commit::{CommitItem, People};
use plinth_base::ids::{NodeId, Sha};
use plinth_base::urls::Part::{Fixed, Path};
use plinth_base::urls::{Url, Urls};
use plinth_core::refs::Ref;
use plinth_core::repos::Repo;
use plinth_git::Commit;

pub const BRANCHES: &str = "refs/heads/";
pub const TAGS: &str = "refs/tags/";

/// A branch in a list.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "short-branch")]
pub struct ShortBranch<'a> {
    name: &'a str,
    commit: NamedCommit<'a>,
    /// Always false: branches cannot be protected.
    protected: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct NamedCommit<'a> {
    sha: Sha,
    url: Url<'a>,
}

impl<'a> NamedCommit<'a> {
    fn new(sha: Sha, repo: &'a Repo, urls: &'a Urls) -> Self {
        Self { sha, url: urls.commit(&repo.owner_login, &repo.name, sha) }
    }
}

impl<'a> ShortBranch<'a> {
    pub fn new(branch: &'a Ref, repo: &'a Repo, urls: &'a Urls) -> Self {
        let commit = NamedCommit::new(branch.target, repo, urls);
        Self { name: short_name(branch, BRANCHES), commit, protected: false }
    }
}

/// A branch with its newest commit.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "branch")]
pub struct Branch<'a> {
    name: &'a str,
    commit: CommitItem<'a>,
    #[serde(rename = "_links")]
    links: Links<'a>,
    /// Always false: branches cannot be protected.
    protected: bool,
    protection: Protection,
    protection_url: Url<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Links<'a> {
    #[serde(rename = "self")]
    this: Url<'a>,
    html: Url<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Protection {
    enabled: bool,
    required_status_checks: RequiredChecks,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct RequiredChecks {
    enforcement_level: &'static str,
    #[schemars(extend("maxItems" = 0))]
    contexts: Vec<String>,
    #[schemars(extend("maxItems" = 0))]
    checks: Vec<Value>,
}

impl<'a> Branch<'a> {
    pub fn new(
        name: &'a str,
        (tip, commit): (Sha, &'a Commit),
        people: &'a People,
        repo: &'a Repo,
        urls: &'a Urls,
    ) -> Self {
        let (owner, repo_name) = (repo.owner_login.as_str(), repo.name.as_str());
        let url = urls.repo(owner, repo_name).then(Fixed("/branches/")).then(Path(name));
        Self {
            name,
            commit: CommitItem::new(tip, commit, people, repo, urls),
            links: Links { this: url, html: urls.repo_page(owner, repo_name).then(Fixed("/tree/")).then(Path(name)) },
            protected: false,
            protection: Protection {
                enabled: false,
                required_status_checks: RequiredChecks {
                    enforcement_level: "off",
                    contexts: Vec::new(),
                    checks: Vec::new(),
                },
            },
            protection_url: url.then(Fixed("/protection")),
        }
    }
}

/// A tag, annotated or not, with the commit behind it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "tag")]
pub struct Tag<'a> {
    name: &'a str,
    commit: NamedCommit<'a>,
    zipball_url: Url<'a>,
    tarball_url: Url<'a>,
    node_id: String,
}

impl<'a> Tag<'a> {
    pub fn new(tag: &'a Ref, commit: Sha, repo: &'a Repo, urls: &'a Urls) -> Self {
        let name = short_name(tag, TAGS);
        let url = urls.repo(&repo.owner_login, &repo.name);
        let archive = |directory| url.then(Fixed(directory)).then(Path(name));
        Self {
            name,
            commit: NamedCommit::new(commit, repo, urls),
            zipball_url: archive("/zipball/refs/tags/"),
            tarball_url: archive("/tarball/refs/tags/"),
            node_id: NodeId::new("REF", 0).number(repo.id.0).text(tag.name.as_str()).finish(),
        }
    }
}

fn short_name<'a>(found: &'a Ref, namespace: &str) -> &'a str {
    let name = found.name.as_str();
    name.strip_prefix(namespace).unwrap_or(name)
}
