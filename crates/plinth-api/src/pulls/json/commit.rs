//! Commits on the wire, with their accounts and changes.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::file::ChangedFile;
use crate::accounts::json::User;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{NodeId, Sha};
use plinth_base::urls::Part::Fixed;
use plinth_base::urls::{Url, Urls};
use plinth_core::accounts::Account;
use plinth_core::repos::Repo;
use plinth_git::{Commit, Identity};

/// Accounts by their e-mail addresses.
pub type People = HashMap<String, Account>;

/// A commit with the accounts of its author and committer.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "commit")]
pub struct CommitItem<'a> {
    sha: Sha,
    node_id: String,
    /// The commit as git stores it.
    commit: Inner<'a>,
    url: Url<'a>,
    html_url: Url<'a>,
    comments_url: Url<'a>,
    /// The account with the author's e-mail address.
    author: Option<User<'a>>,
    /// The account with the committer's e-mail address.
    committer: Option<User<'a>>,
    parents: Vec<Parent<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Inner<'a> {
    author: Signature<'a>,
    committer: Signature<'a>,
    message: &'a str,
    tree: Tree<'a>,
    url: Url<'a>,
    comment_count: i64,
    verification: Verification<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Signature<'a> {
    name: &'a str,
    email: &'a str,
    date: Timestamp,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Tree<'a> {
    sha: Sha,
    url: Url<'a>,
}

/// Signatures are shown, but not verified.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Verification<'a> {
    verified: bool,
    reason: &'static str,
    signature: Option<&'a str>,
    payload: Option<&'a str>,
    verified_at: Option<()>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Parent<'a> {
    sha: Sha,
    url: Url<'a>,
    html_url: Url<'a>,
}

impl<'a> CommitItem<'a> {
    pub fn new(sha: Sha, commit: &'a Commit, people: &'a People, repo: &'a Repo, urls: &'a Urls) -> Self {
        let account = |identity: &Identity| people.get(&identity.email.to_ascii_lowercase());
        let user = |identity: &Identity| account(identity).map(|account| User::new(account, urls));
        let (owner, name) = (repo.owner_login.as_str(), repo.name.as_str());
        let git =
            |directory, sha| urls.repo(owner, name).then(Fixed(directory)).then(plinth_base::urls::Part::Sha(sha));
        let signature = commit.signature.as_ref();
        let url = urls.commit(owner, name, sha);
        let parent = |parent: &Sha| Parent {
            sha: *parent,
            url: urls.commit(owner, name, *parent),
            html_url: urls.commit_page(owner, name, *parent),
        };
        Self {
            sha,
            node_id: NodeId::new("C", 0).number(repo.id.0).text(&sha.to_string()).finish(),
            commit: Inner {
                author: Signature::new(&commit.author),
                committer: Signature::new(&commit.committer),
                message: commit.message.trim_end_matches('\n'),
                tree: Tree { sha: commit.tree_id, url: git("/git/trees/", commit.tree_id) },
                url: git("/git/commits/", sha),
                comment_count: 0,
                verification: Verification {
                    verified: false,
                    reason: if signature.is_some() { "unknown_key" } else { "unsigned" },
                    signature: signature.map(|signature| signature.signature.as_str()),
                    payload: signature.map(|signature| signature.payload.as_str()),
                    verified_at: None,
                },
            },
            url,
            html_url: urls.commit_page(owner, name, sha),
            comments_url: url.then(Fixed("/comments")),
            author: user(&commit.author),
            committer: user(&commit.committer),
            parents: commit.parent_ids.iter().map(parent).collect(),
        }
    }
}

impl<'a> Signature<'a> {
    fn new(identity: &'a Identity) -> Self {
        Self { name: &identity.name, email: &identity.email, date: Timestamp(identity.date.seconds) }
    }
}

/// A commit with its changes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "whole-commit")]
pub struct WholeCommit<'a> {
    #[serde(flatten)]
    pub commit: CommitItem<'a>,
    /// Lines in all files.
    pub stats: Stats,
    /// At most 300, compared with the first parent.
    pub files: Vec<ChangedFile<'a>>,
}

#[derive(Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Stats {
    total: u64,
    additions: u64,
    deletions: u64,
}

impl Stats {
    pub fn add(&mut self, additions: u32, deletions: u32) {
        self.additions += u64::from(additions);
        self.deletions += u64::from(deletions);
        self.total = self.additions + self.deletions;
    }
}
