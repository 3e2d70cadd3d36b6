//! Pull requests on the wire.

pub mod commit;
pub mod commit_reports;
pub mod file;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::json::User;
use crate::labels::json::Label;
use crate::negotiation::Media;
use crate::repos::json::Repository;
use crate::request::shape::Nullable;
use crate::wire::{Word, words};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{NodeId, PullId, Sha};
use plinth_base::urls::Part::Fixed;
use plinth_base::urls::{Url, UrlTemplate, Urls};
use plinth_core::accounts::AccountSummary;
use plinth_core::pulls::model::{Association, Author, Mergeability, Pull, PullState, Size};
use plinth_core::repos::Repo;
use plinth_markdown::Rendered;

words! { PullState: Open, Closed }
words! { Association: Owner, Member, Collaborator, Contributor, None }

/// A pull request in a list. Keys for features that this service does not have are empty or null.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "pull-request")]
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
    /// With the number of a comment in braces.
    review_comment_url: UrlTemplate<'a>,
    comments_url: Url<'a>,
    statuses_url: Url<'a>,
    number: i64,
    state: Word<PullState>,
    locked: bool,
    title: &'a str,
    /// The author.
    user: Option<User<'a>>,
    /// Markdown; not with `text` and `html`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Nullable<String>>")]
    body: Option<Option<&'a str>>,
    /// Only with `text` and `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Nullable<String>>")]
    body_text: Option<Option<&'a str>>,
    /// Only with `html` and `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Nullable<String>>")]
    body_html: Option<Option<&'a str>>,
    labels: Vec<Label<'a>>,
    milestone: Option<()>,
    active_lock_reason: Option<()>,
    created_at: Timestamp,
    updated_at: Timestamp,
    closed_at: Option<Timestamp>,
    merged_at: Option<Timestamp>,
    /// The commit of the merge. Before it, the commit of a test merge, if there is one yet.
    merge_commit_sha: Option<Sha>,
    assignee: Option<User<'a>>,
    assignees: Vec<User<'a>>,
    requested_reviewers: Vec<User<'a>>,
    requested_teams: [(); 0],
    /// The branch with the changes.
    head: Branch<'a>,
    /// The branch that they are to be merged into.
    base: Branch<'a>,
    _links: Links<'a>,
    author_association: Word<Association>,
    auto_merge: Option<()>,
    draft: bool,
}

/// A pull request, with what a comparison of its branches yields.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "whole-pull-request")]
pub struct WholePullRequest<'a> {
    #[serde(flatten)]
    pull: PullRequest<'a>,
    merged: bool,
    /// Null until a test merge was made after the last move of head or base.
    mergeable: Option<bool>,
    /// Not computed.
    rebaseable: Option<bool>,
    /// `clean`, `dirty`, `draft` or `unknown`.
    mergeable_state: &'static str,
    merged_by: Option<User<'a>>,
    comments: i64,
    review_comments: i64,
    maintainer_can_modify: bool,
    commits: i64,
    additions: i64,
    deletions: i64,
    changed_files: i64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Branch<'a> {
    /// `owner:branch`.
    label: String,
    /// The branch.
    r#ref: &'a str,
    sha: Sha,
    user: User<'a>,
    repo: Repository<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Links<'a> {
    #[serde(rename = "self")]
    own: Link<'a>,
    html: Link<'a>,
    issue: Link<'a>,
    comments: Link<'a>,
    review_comments: Link<'a>,
    review_comment: TemplateLink<'a>,
    commits: Link<'a>,
    statuses: Link<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Link<'a> {
    pub href: Url<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct TemplateLink<'a> {
    href: UrlTemplate<'a>,
}

/// What the JSON of a pull request needs besides its repository.
pub struct Ready {
    pub pull: Pull,
    /// The body, unless it is null or the media type does not need it.
    pub rendered: Option<Arc<Rendered>>,
    /// The number of open issues and pull requests of the repository.
    pub open_issues: i64,
    /// Whose reviews are requested.
    pub reviewers: Vec<AccountSummary>,
    pub labels: Vec<plinth_core::labels::Label>,
    pub assignees: Vec<AccountSummary>,
}

impl<'a> PullRequest<'a> {
    pub fn new(ready: &'a Ready, media: Media, repo: &'a Repo, urls: &'a Urls) -> Self {
        let Ready { pull, rendered, open_issues, reviewers, labels, assignees } = ready;
        let rendered = rendered.as_deref();
        let (owner, name) = (repo.owner_login.as_str(), repo.name.as_str());
        let (url, page) = (urls.pull(owner, name, pull.number), urls.pull_page(owner, name, pull.number));
        let issue_url = urls.issue(owner, name, pull.number);
        let links = Links {
            own: Link { href: url },
            html: Link { href: page },
            issue: Link { href: issue_url },
            comments: Link { href: issue_url.then(Fixed("/comments")) },
            review_comments: Link { href: url.then(Fixed("/comments")) },
            review_comment: TemplateLink { href: urls.repo(owner, name).template("/pulls/comments{/number}") },
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
            state: Word(pull.state),
            locked: false,
            title: &pull.title,
            user: user(&pull.author, urls),
            body: media.shows_body().then_some(pull.body.as_deref()),
            body_text: media.shows_text().then(|| rendered.map(|rendered| rendered.text.as_str())),
            body_html: media.shows_html().then(|| rendered.map(|rendered| rendered.html.as_str())),
            labels: labels.iter().map(|label| Label::new(label, repo, urls)).collect(),
            milestone: None,
            active_lock_reason: None,
            created_at: pull.created_at,
            updated_at: pull.updated_at,
            closed_at: pull.closed_at,
            merged_at: pull.merged.as_ref().map(|merged| merged.at),
            merge_commit_sha: pull.merge_commit(),
            assignee: assignees.first().map(|account| user_of(account, urls)),
            assignees: assignees.iter().map(|account| user_of(account, urls)).collect(),
            requested_reviewers: reviewers.iter().map(|account| user_of(account, urls)).collect(),
            requested_teams: [],
            head: Branch::new(&pull.head_ref, pull.version.head_sha, (repo, *open_issues), urls),
            base: Branch::new(&pull.base_ref, pull.version.base_sha, (repo, *open_issues), urls),
            _links: links,
            author_association: Word(pull.author.association),
            auto_merge: None,
            draft: pull.draft,
        }
    }
}

impl<'a> WholePullRequest<'a> {
    pub fn new(ready: &'a Ready, size: Size, media: Media, repo: &'a Repo, urls: &'a Urls) -> Self {
        let merged = ready.pull.merged.as_ref();
        let merged_by = merged.and_then(|merged| merged.by.as_ref());
        Self {
            pull: PullRequest::new(ready, media, repo, urls),
            merged: merged.is_some(),
            mergeable: mergeable(&ready.pull),
            rebaseable: None,
            mergeable_state: mergeable_state(&ready.pull),
            merged_by: merged_by.map(|account| user_of(account, urls)),
            comments: ready.pull.comments,
            review_comments: ready.pull.review_comments,
            maintainer_can_modify: false,
            commits: size.commits,
            additions: size.additions,
            deletions: size.deletions,
            changed_files: size.changed_files,
        }
    }
}

impl<'a> Branch<'a> {
    fn new(name: &'a str, sha: Sha, (repo, open_issues): (&'a Repo, i64), urls: &'a Urls) -> Self {
        let user = User::from_parts(repo.owner_id, repo.owner_kind, &repo.owner_login, repo.owner_site_admin, urls);
        let label = format!("{}:{name}", repo.owner_login);
        Self { label, r#ref: name, sha, user, repo: Repository::new(repo, urls).with_open_issues(open_issues) }
    }
}

/// What was found out about the last version. A pull request that is merged cannot be merged again.
fn mergeable(pull: &Pull) -> Option<bool> {
    match pull.test_merge.mergeability.filter(|_| pull.merged.is_none())? {
        Mergeability::Clean => Some(true),
        Mergeability::Dirty => Some(false),
        Mergeability::Unknown => None,
    }
}

fn mergeable_state(pull: &Pull) -> &'static str {
    match mergeable(pull) {
        None => "unknown",
        Some(false) => "dirty",
        Some(true) if pull.draft => "draft",
        Some(true) => "clean",
    }
}

/// The author; null if the account was deleted.
pub fn user<'a>(author: &'a Author, urls: &'a Urls) -> Option<User<'a>> {
    author.account.as_ref().map(|account| user_of(account, urls))
}

pub fn user_of<'a>(account: &'a AccountSummary, urls: &'a Urls) -> User<'a> {
    User::from_parts(account.id, account.kind, &account.login, account.site_admin, urls)
}
