//! The commits of a pull request.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use super::find_pull;
use crate::accounts::json::User;
use crate::app::App;
use crate::policy::table::ListPullCommits;
use crate::request::{Allowed, page};
use crate::response::api_response::ApiResponse;
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{NodeId, Sha};
use plinth_base::urls::Part::Fixed;
use plinth_base::urls::{Url, Urls};
use plinth_core::accounts::{self, Account};
use plinth_core::objects::Large;
use plinth_core::pulls::diff_context::{DiffContext, with_diff_context_large};
use plinth_core::pulls::model::Version;
use plinth_core::repos::Repo;
use plinth_core::repos::RepoTarget;
use plinth_git::{Commit, Identity};

/// More commits than this are not listed, whatever the page.
pub const COMMITS_MAX: usize = 250;

pub async fn list(access: Allowed<ListPullCommits, RepoTarget>, app: App) -> Result<ApiResponse> {
    let pull = find_pull(&app, &access).await?;
    let page = page::of(access.context());
    let version = pull.version;
    let found = with_diff_context_large(&app, pull.repo_id, move |desk| {
        let ids = commit_ids(&desk, &version)?;
        let skip = usize::try_from(page.offset()).unwrap_or(usize::MAX);
        let limit = usize::try_from(page.limit()).unwrap_or_default();
        let on_page: Vec<Sha> = ids.iter().skip(skip).take(limit).copied().collect();
        Ok((read(&desk, on_page)?, ids.len()))
    });
    let Large { value: (on_page, total), reserved } = found.await?;
    let total = i64::try_from(total).unwrap_or_default();
    let people = find_people(&app, on_page.iter().map(|(_, commit)| commit)).await?;
    let (repo, urls) = (&access.repo, access.urls());
    let shown: Vec<_> =
        on_page.iter().map(|(sha, commit)| CommitItem::new(*sha, commit, &people, repo, urls)).collect();
    ApiResponse::ok(&shown).with_link(page::link(page, access.context(), total)).holding(reserved)
}

/// The accounts that made some commits, by their addresses.
pub type People = HashMap<String, Account>;

pub async fn find_people(app: &App, commits: impl Iterator<Item = &Commit>) -> Result<People> {
    let identities = commits.flat_map(|commit| [&commit.author, &commit.committer]);
    let emails = identities.map(|identity| identity.email.to_ascii_lowercase());
    // PostgreSQL has no text with a NUL, so nobody has such an address.
    let emails: BTreeSet<String> = emails.filter(|email| !email.is_empty() && !email.contains('\0')).collect();
    Ok(accounts::store::find_by_emails(&mut app.read().await?, &emails).await?)
}

/// Oldest first, as they were made.
pub fn commits(desk: &DiffContext<'_>, version: &Version) -> Result<Vec<(Sha, Commit)>> {
    let ids = commit_ids(desk, version)?;
    read(desk, ids)
}

fn commit_ids(desk: &DiffContext<'_>, version: &Version) -> Result<Vec<Sha>> {
    let range = desk.reader.commits_between(&version.base_sha, &version.head_sha, COMMITS_MAX)?;
    Ok(range.commit_ids.into_iter().rev().collect())
}

fn read(desk: &DiffContext<'_>, ids: Vec<Sha>) -> Result<Vec<(Sha, Commit)>> {
    let read = |sha: Sha| {
        let commit = desk.reader.find_commit(&sha)?.ok_or_else(|| desk.reader.missing(&sha))?;
        desk.reader.budget().retain(shown_bytes(&commit))?;
        Ok((sha, commit))
    };
    ids.into_iter().map(read).collect()
}

/// What a commit takes, here and in a response.
pub fn shown_bytes(commit: &Commit) -> u64 {
    const PARENT_BYTES: usize = 400;
    let payload = commit.signature.as_ref().map_or(0, |signed| signed.signature.len() + signed.payload.len());
    (3 * (commit.message.len() + payload) + PARENT_BYTES * (commit.parent_ids.len() + 4)) as u64
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
        let git = |folder, sha| urls.repo(owner, name).then(Fixed(folder)).then(plinth_base::urls::Part::Sha(sha));
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
