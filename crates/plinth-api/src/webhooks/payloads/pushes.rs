//! Payloads about branches and tags.

use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};
use plinth_base::urls::Url;
use plinth_core::accounts::{self, AccountKind};
use plinth_core::ref_updates::events::{PushData, RefData, RefType};
use plinth_core::refs;
use plinth_core::repos::Repo;
use plinth_git::Identity;
use serde::Serialize;
use serde_json::Value;

use super::commits::{self, Ends, Files, PushedCommit};
use super::common::Envelope;
use super::{Context, to_value, write};
use crate::pulls::json::commit::People;

/// The object id that stands for no object.
const ZEROS: &str = "0000000000000000000000000000000000000000";
/// Branches that are searched for the base of a new ref.
const BRANCHES_MAX: i64 = 1_000;
/// Digits of an object id in the URL of a comparison.
const SHORT_SHA: usize = 12;

#[derive(Serialize)]
struct Existence<'a> {
    r#ref: &'a str,
    ref_type: RefType,
    /// Only of `create`.
    #[serde(skip_serializing_if = "Option::is_none")]
    master_branch: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<Option<&'a str>>,
    pusher_type: &'static str,
}

/// The payloads of `create` and `delete`.
pub fn render_existence(context: &Context<'_>) -> Result<Option<String>> {
    let data: RefData = context.data()?;
    let Some(repo) = &context.parties.repo else { return Ok(None) };
    let is_new = context.event.name == plinth_core::events::EventName::Create;
    context.write(Existence {
        r#ref: &data.r#ref,
        ref_type: data.ref_type,
        master_branch: is_new.then_some(&repo.default_branch),
        description: is_new.then_some(repo.description.as_deref()),
        pusher_type: "user",
    })
}

#[derive(Serialize)]
struct Push<'a> {
    r#ref: &'a str,
    before: String,
    after: String,
    created: bool,
    deleted: bool,
    forced: bool,
    base_ref: Option<String>,
    compare: String,
    commits: Vec<Commit<'a>>,
    head_commit: Option<Commit<'a>>,
    repository: Value,
    pusher: Person<'a>,
}

#[derive(Serialize)]
struct Commit<'a> {
    id: Sha,
    tree_id: Sha,
    distinct: bool,
    message: &'a str,
    timestamp: String,
    url: Url<'a>,
    author: Person<'a>,
    committer: Person<'a>,
    added: &'a [String],
    removed: &'a [String],
    modified: &'a [String],
}

#[derive(Serialize)]
struct Person<'a> {
    name: &'a str,
    email: Option<&'a str>,
    /// Only of commits.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<&'a str>,
}

pub async fn render(context: &Context<'_>) -> Result<Option<String>> {
    let data: PushData = context.data()?;
    let Some(repo) = &context.parties.repo else { return Ok(None) };
    let ends = find_ends(context, repo, &data).await?;
    let pushed = commits::find(context.app, repo.id, ends).await?;
    let people =
        accounts::store::find_by_emails(&mut context.app.read().await?, &commits::emails(&pushed.value)).await?;
    let shown = |commit| Commit::new(commit, &people, repo, context);
    let sender = &context.parties.sender;
    let text = |sha: Option<Sha>| sha.map_or_else(|| ZEROS.to_owned(), |sha| sha.to_string());
    let push = Push {
        r#ref: &data.r#ref,
        before: text(data.before),
        after: text(data.after),
        created: data.before.is_none(),
        deleted: data.after.is_none(),
        forced: pushed.value.forced,
        base_ref: find_base(context, repo.id, &data).await?,
        compare: compare_url(context, repo, &data),
        commits: pushed.value.commits.iter().map(shown).collect(),
        head_commit: pushed.value.head.as_ref().map(shown),
        repository: repository(context, repo),
        // The e-mail address of a user is shown to nobody else.
        pusher: Person { name: &sender.login, email: None, date: None, username: None },
    };
    write(&Envelope::new(context, push).without_repository())
}

/// The commits of the default branch are not new on another new branch.
async fn find_ends(context: &Context<'_>, repo: &Repo, data: &PushData) -> Result<Ends> {
    let is_default = data.r#ref.strip_prefix("refs/heads/") == Some(&repo.default_branch);
    let known = match data.before {
        None if !is_default => {
            let mut db = context.app.read().await?;
            refs::store::find_default_tip(&mut db, repo.id, &repo.default_branch).await?
        }
        None | Some(_) => None,
    };
    Ok(Ends { before: data.before, after: data.after, known })
}

/// Another branch with the target of a new ref.
async fn find_base(context: &Context<'_>, repo: RepoId, data: &PushData) -> Result<Option<String>> {
    let (None, Some(after)) = (data.before, data.after) else { return Ok(None) };
    let mut db = context.app.read().await?;
    let branches = refs::store::list(&mut db, repo, "refs/heads/", "", BRANCHES_MAX).await?;
    let mut others = branches.into_iter().filter(|branch| branch.name.as_str() != data.r#ref);
    Ok(others.find(|branch| branch.target == after).map(|branch| branch.name.as_str().to_owned()))
}

fn compare_url(context: &Context<'_>, repo: &Repo, data: &PushData) -> String {
    let page = context.urls.repo_page(&repo.owner_login, &repo.name);
    let short = |sha: Option<Sha>| sha.map_or_else(|| ZEROS.to_owned(), |sha| sha.to_string())[..SHORT_SHA].to_owned();
    match data.before {
        Some(_) => format!("{page}/compare/{}...{}", short(data.before), short(data.after)),
        None => {
            let name = data.r#ref.splitn(3, '/').nth(2).unwrap_or_default();
            page.then(plinth_base::urls::Part::Fixed("/compare/")).then(plinth_base::urls::Part::Path(name)).to_string()
        }
    }
}

/// In pushes, GitHub shows some times as numbers, and a few keys that no other payload has.
fn repository(context: &Context<'_>, repo: &Repo) -> Value {
    let shown = context.parties.repository(context.urls);
    let mut shown = to_value(&shown);
    let owner = &context.parties.owner;
    shown["created_at"] = repo.created_at.0.into();
    shown["pushed_at"] = repo.pushed_at.unwrap_or(repo.created_at).0.into();
    shown["stargazers"] = 0.into();
    shown["master_branch"] = repo.default_branch.as_str().into();
    shown["owner"]["name"] = owner.login.as_str().into();
    shown["owner"]["email"] = Value::Null;
    if owner.kind == AccountKind::Organization {
        shown["owner"]["email"] = owner.email.as_deref().map_or(Value::Null, Value::from);
        shown["organization"] = owner.login.as_str().into();
    }
    shown
}

impl<'a> Commit<'a> {
    fn new(pushed: &'a PushedCommit, people: &'a People, repo: &'a Repo, context: &'a Context<'_>) -> Self {
        let PushedCommit { sha, commit, files: Files { added, removed, modified } } = pushed;
        Self {
            id: *sha,
            tree_id: commit.tree_id,
            distinct: true,
            message: commit.message.trim_end_matches('\n'),
            timestamp: date(&commit.committer),
            url: context.urls.commit_page(&repo.owner_login, &repo.name, *sha),
            author: Person::of_commit(&commit.author, people),
            committer: Person::of_commit(&commit.committer, people),
            added,
            removed,
            modified,
        }
    }
}

impl<'a> Person<'a> {
    fn of_commit(identity: &'a Identity, people: &'a People) -> Self {
        let account = people.get(&identity.email.to_ascii_lowercase());
        Self {
            name: &identity.name,
            email: Some(&identity.email),
            date: Some(date(identity)),
            username: account.map(|account| account.login.as_str()),
        }
    }
}

/// A time in the zone of the commit.
fn date(identity: &Identity) -> String {
    Timestamp(identity.date.seconds).with_offset(identity.date.offset_minutes)
}
