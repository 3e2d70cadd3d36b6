//! Pull requests as clients see and send them.

use plinth_core::pulls::NewPullRequest;
use plinth_core::pulls::PullRequestChanges;
use serde::Serialize;

use crate::accounts::json::User;
use crate::repos::json::Repository;
use crate::request::shape::{Fields, FromJson};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{NodeId, PullId, Sha};
use plinth_base::urls::Part::Fixed;
use plinth_base::urls::{Url, Urls};
use plinth_core::pulls::model::{Author, Pull, Size};
use plinth_core::repos::Repo;

impl FromJson for NewPullRequest {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let (title, head, base) = (fields.required("title"), fields.required("head"), fields.required("base"));
        let body = fields.optional::<Option<String>>("body");
        let draft = fields.optional("draft");
        Some(Self { title: title?, head: head?, base: base?, body: body?.flatten(), draft: draft?.unwrap_or(false) })
    }
}

impl FromJson for PullRequestChanges {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let (title, body, base) = (fields.optional("title"), fields.optional("body"), fields.optional("base"));
        let state = fields.optional::<String>("state")?;
        let state = match state.as_deref() {
            None => None,
            Some(word) => {
                fields.choice("state", word, &["open", "closed"])?;
                word.parse().ok()
            }
        };
        Some(Self { title: title?, body: body?, state, base: base? })
    }
}

/// A pull request in a list.
#[derive(Serialize)]
pub struct PullRequest<'a> {
    url: Url<'a>,
    id: PullId,
    node_id: String,
    html_url: Url<'a>,
    diff_url: Url<'a>,
    patch_url: Url<'a>,
    issue_url: Url<'a>,
    commits_url: Url<'a>,
    review_comments_url: Url<'a>,
    review_comment_url: Url<'a>,
    comments_url: Url<'a>,
    statuses_url: Url<'a>,
    number: i64,
    state: &'static str,
    locked: bool,
    title: &'a str,
    user: Option<User<'a>>,
    body: Option<&'a str>,
    labels: [(); 0],
    milestone: Option<()>,
    active_lock_reason: Option<()>,
    created_at: Timestamp,
    updated_at: Timestamp,
    closed_at: Option<Timestamp>,
    merged_at: Option<Timestamp>,
    merge_commit_sha: Option<Sha>,
    assignee: Option<()>,
    assignees: [(); 0],
    requested_reviewers: [(); 0],
    requested_teams: [(); 0],
    head: Branch<'a>,
    base: Branch<'a>,
    _links: Links<'a>,
    author_association: &'static str,
    auto_merge: Option<()>,
    draft: bool,
}

/// One pull request by itself.
#[derive(Serialize)]
pub struct WholePullRequest<'a> {
    #[serde(flatten)]
    pull: PullRequest<'a>,
    merged: bool,
    mergeable: Option<bool>,
    rebaseable: Option<bool>,
    mergeable_state: &'static str,
    merged_by: Option<()>,
    comments: i64,
    review_comments: i64,
    maintainer_can_modify: bool,
    commits: i64,
    additions: i64,
    deletions: i64,
    changed_files: i64,
}

#[derive(Serialize)]
struct Branch<'a> {
    label: String,
    r#ref: &'a str,
    sha: Sha,
    user: User<'a>,
    repo: Repository<'a>,
}

#[derive(Serialize)]
struct Links<'a> {
    #[serde(rename = "self")]
    own: Link<'a>,
    html: Link<'a>,
    issue: Link<'a>,
    comments: Link<'a>,
    review_comments: Link<'a>,
    review_comment: Link<'a>,
    commits: Link<'a>,
    statuses: Link<'a>,
}

/// An address in an object of its own.
#[derive(Serialize)]
pub struct Link<'a> {
    pub href: Url<'a>,
}

impl<'a> PullRequest<'a> {
    pub fn new(pull: &'a Pull, repo: &'a Repo, urls: &'a Urls) -> Self {
        let (owner, name) = (repo.owner_login.as_str(), repo.name.as_str());
        let (url, page) = (urls.pull(owner, name, pull.number), urls.pull_page(owner, name, pull.number));
        let issue_url = urls.issue(owner, name, pull.number);
        let links = Links {
            own: Link { href: url },
            html: Link { href: page },
            issue: Link { href: issue_url },
            comments: Link { href: issue_url.then(Fixed("/comments")) },
            review_comments: Link { href: url.then(Fixed("/comments")) },
            review_comment: Link { href: urls.repo(owner, name).then(Fixed("/pulls/comments{/number}")) },
            commits: Link { href: url.then(Fixed("/commits")) },
            statuses: Link {
                href: urls
                    .repo(owner, name)
                    .then(Fixed("/statuses/"))
                    .then(plinth_base::urls::Part::Sha(pull.version.head_sha)),
            },
        };
        Self {
            url,
            id: pull.id,
            node_id: NodeId::new("PR", 0).number(repo.id.0).number(pull.id.0).finish(),
            html_url: page,
            diff_url: page.then(Fixed(".diff")),
            patch_url: page.then(Fixed(".patch")),
            issue_url,
            commits_url: links.commits.href,
            review_comments_url: links.review_comments.href,
            review_comment_url: links.review_comment.href,
            comments_url: links.comments.href,
            statuses_url: links.statuses.href,
            number: pull.number,
            state: pull.state.as_str(),
            locked: false,
            title: &pull.title,
            user: user(&pull.author, urls),
            body: pull.body.as_deref(),
            labels: [],
            milestone: None,
            active_lock_reason: None,
            created_at: pull.created_at,
            updated_at: pull.updated_at,
            closed_at: pull.closed_at,
            merged_at: None,
            merge_commit_sha: None,
            assignee: None,
            assignees: [],
            requested_reviewers: [],
            requested_teams: [],
            head: Branch::new(&pull.head_ref, pull.version.head_sha, repo, urls),
            base: Branch::new(&pull.base_ref, pull.version.base_sha, repo, urls),
            _links: links,
            author_association: pull.author.association.as_str(),
            auto_merge: None,
            draft: pull.draft,
        }
    }
}

impl<'a> WholePullRequest<'a> {
    pub fn new(pull: &'a Pull, size: Size, repo: &'a Repo, urls: &'a Urls) -> Self {
        Self {
            pull: PullRequest::new(pull, repo, urls),
            merged: false,
            mergeable: None,
            rebaseable: None,
            mergeable_state: "unknown",
            merged_by: None,
            comments: 0,
            review_comments: pull.review_comments,
            maintainer_can_modify: false,
            commits: size.commits,
            additions: size.additions,
            deletions: size.deletions,
            changed_files: size.changed_files,
        }
    }
}

impl<'a> Branch<'a> {
    fn new(name: &'a str, sha: Sha, repo: &'a Repo, urls: &'a Urls) -> Self {
        let user = User::from_parts(repo.owner_id, repo.owner_kind, &repo.owner_login, repo.owner_site_admin, urls);
        let label = format!("{}:{name}", repo.owner_login);
        Self { label, r#ref: name, sha, user, repo: Repository::new(repo, urls) }
    }
}

/// Whoever wrote something; null once the account is gone.
pub fn user<'a>(author: &'a Author, urls: &'a Urls) -> Option<User<'a>> {
    let account = author.account.as_ref()?;
    Some(User::from_parts(account.id, account.kind, &account.login, account.site_admin, urls))
}
