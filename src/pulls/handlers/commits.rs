//! The commits of a pull request.

use std::collections::{BTreeSet, HashMap};

use axum::extract::State;
use serde::Serialize;

use super::find;
use crate::accounts::json::User;
use crate::accounts::{self, Account};
use crate::api::access::table::ListPullCommits;
use crate::api::access::{Allowed, RepoTarget};
use crate::api::page::Page;
use crate::api::reply::Reply;
use crate::app::App;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::git::{Commit, Identity};
use crate::ids::{NodeId, Sha};
use crate::pulls::model::Version;
use crate::pulls::range::{Desk, at_desk};
use crate::repos::Repo;
use crate::urls::Part::Fixed;
use crate::urls::{Url, Urls};

/// More commits than this are not listed, whatever the page.
pub const COMMITS_MAX: usize = 250;

pub async fn list(access: Allowed<ListPullCommits, RepoTarget>, State(app): State<App>) -> Result<Reply> {
    let pull = find(&app, &access).await?;
    let page = Page::of(access.exchange());
    let version = pull.version;
    let found = at_desk(&app, pull.repo_id, move |desk| commits(&desk, &version)).await?;
    let total = i64::try_from(found.len()).unwrap_or_default();
    let skip = usize::try_from(page.offset()).unwrap_or(usize::MAX).min(found.len());
    let limit = usize::try_from(page.limit()).unwrap_or_default().min(found.len() - skip);
    let on_page = &found[skip..skip + limit];
    let people = find_people(&app, on_page.iter().map(|(_, commit)| commit)).await?;
    let (repo, urls) = (&access.repo, access.urls());
    let shown: Vec<_> =
        on_page.iter().map(|(sha, commit)| CommitItem::new(*sha, commit, &people, repo, urls)).collect();
    Ok(Reply::ok(&shown).with_link(page.link(access.exchange(), total)))
}

/// The accounts that made some commits, by their addresses.
pub type People = HashMap<String, Account>;

pub async fn find_people(app: &App, commits: impl Iterator<Item = &Commit>) -> Result<People> {
    let identities = commits.flat_map(|commit| [&commit.author, &commit.committer]);
    let emails = identities.map(|identity| identity.email.to_ascii_lowercase());
    // PostgreSQL has no text with a NUL, so nobody has such an address.
    let emails: BTreeSet<String> = emails.filter(|email| !email.is_empty() && !email.contains('\0')).collect();
    Ok(accounts::store::find_by_emails(&mut app.store.read().await?, &emails).await?)
}

/// Oldest first, as they were made.
pub fn commits(desk: &Desk<'_>, version: &Version) -> Result<Vec<(Sha, Commit)>> {
    let range = desk.reader.commits_between(&version.base_sha, &version.head_sha, COMMITS_MAX)?;
    let read = |sha: Sha| Ok((sha, desk.reader.find_commit(&sha)?.ok_or_else(|| desk.reader.missing(&sha))?));
    range.commit_ids.into_iter().rev().map(read).collect()
}

/// A commit as it is listed.
#[derive(Serialize)]
pub struct CommitItem<'a> {
    sha: Sha,
    node_id: String,
    commit: Inner<'a>,
    url: Url<'a>,
    html_url: Url<'a>,
    comments_url: Url<'a>,
    /// Nobody where no account has the address.
    author: Option<User<'a>>,
    committer: Option<User<'a>>,
    parents: Vec<Parent<'a>>,
}

#[derive(Serialize)]
struct Inner<'a> {
    author: Signature<'a>,
    committer: Signature<'a>,
    message: &'a str,
    tree: Tree<'a>,
    url: Url<'a>,
    comment_count: i64,
    verification: Verification<'a>,
}

#[derive(Serialize)]
struct Signature<'a> {
    name: &'a str,
    email: &'a str,
    date: Timestamp,
}

#[derive(Serialize)]
struct Tree<'a> {
    sha: Sha,
    url: Url<'a>,
}

/// Signatures are kept and shown; keys to verify them with are not.
#[derive(Serialize)]
struct Verification<'a> {
    verified: bool,
    reason: &'static str,
    signature: Option<&'a str>,
    payload: Option<&'a str>,
    verified_at: Option<()>,
}

#[derive(Serialize)]
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
        let git = |folder, sha| urls.repo(owner, name).then(Fixed(folder)).then(crate::urls::Part::Sha(sha));
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
