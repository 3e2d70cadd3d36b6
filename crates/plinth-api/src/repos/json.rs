//! Repositories on the wire.

use plinth_core::access::Role;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::license::License;
use crate::accounts::json::User;
use crate::request::shape::Nullable;
use crate::wire::{Word, words};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{NodeId, RepoId};
use plinth_base::urls::Part::Fixed;
use plinth_base::urls::{Url, UrlTemplate, Urls};
use plinth_core::accounts::AccountKind;
use plinth_core::repos::Repo;

/// A repository.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "repository")]
pub struct Repository<'a> {
    id: RepoId,
    node_id: String,
    name: &'a str,
    full_name: String,
    owner: User<'a>,
    private: bool,
    html_url: Url<'a>,
    description: Option<&'a str>,
    fork: bool,
    url: Url<'a>,
    archive_url: UrlTemplate<'a>,
    assignees_url: UrlTemplate<'a>,
    blobs_url: UrlTemplate<'a>,
    branches_url: UrlTemplate<'a>,
    collaborators_url: UrlTemplate<'a>,
    comments_url: UrlTemplate<'a>,
    commits_url: UrlTemplate<'a>,
    compare_url: UrlTemplate<'a>,
    contents_url: UrlTemplate<'a>,
    contributors_url: Url<'a>,
    deployments_url: Url<'a>,
    downloads_url: Url<'a>,
    events_url: Url<'a>,
    forks_url: Url<'a>,
    git_commits_url: UrlTemplate<'a>,
    git_refs_url: UrlTemplate<'a>,
    git_tags_url: UrlTemplate<'a>,
    hooks_url: Url<'a>,
    issue_comment_url: UrlTemplate<'a>,
    issue_events_url: UrlTemplate<'a>,
    issues_url: UrlTemplate<'a>,
    keys_url: UrlTemplate<'a>,
    labels_url: UrlTemplate<'a>,
    languages_url: Url<'a>,
    merges_url: Url<'a>,
    milestones_url: UrlTemplate<'a>,
    notifications_url: UrlTemplate<'a>,
    pulls_url: UrlTemplate<'a>,
    releases_url: UrlTemplate<'a>,
    stargazers_url: Url<'a>,
    statuses_url: UrlTemplate<'a>,
    subscribers_url: Url<'a>,
    subscription_url: Url<'a>,
    tags_url: Url<'a>,
    teams_url: Url<'a>,
    trees_url: UrlTemplate<'a>,
    git_url: String,
    ssh_url: String,
    /// The URL for `git clone`.
    clone_url: Url<'a>,
    mirror_url: Option<&'a str>,
    svn_url: Url<'a>,
    homepage: Option<&'a str>,
    language: Option<&'a str>,
    forks_count: i64,
    stargazers_count: i64,
    watchers_count: i64,
    size: i64,
    default_branch: &'a str,
    open_issues_count: i64,
    subscribers_count: i64,
    network_count: i64,
    forks: i64,
    open_issues: i64,
    watchers: i64,
    is_template: bool,
    topics: Vec<&'a str>,
    has_issues: bool,
    has_projects: bool,
    has_wiki: bool,
    has_pages: bool,
    has_downloads: bool,
    has_discussions: bool,
    archived: bool,
    disabled: bool,
    visibility: Word<Visibility>,
    pushed_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
    allow_rebase_merge: bool,
    allow_squash_merge: bool,
    allow_auto_merge: bool,
    delete_branch_on_merge: bool,
    allow_merge_commit: bool,
    allow_forking: bool,
    web_commit_signoff_required: bool,
    template_repository: Option<()>,
    temp_clone_token: &'static str,
    license: Option<License<'a>>,
    /// The owner, if that is an organization; not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Nullable<User<'a>>>")]
    organization: Option<Option<User<'a>>>,
    /// What the caller may do; absent without a token.
    #[serde(skip_serializing_if = "Option::is_none")]
    permissions: Option<Permissions>,
    /// Only in the lists of an installation.
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_properties: Option<BTreeMap<&'a str, &'a str>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Permissions {
    admin: bool,
    maintain: bool,
    push: bool,
    triage: bool,
    pull: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    Public,
    Private,
}

words! { Visibility: Public, Private }

impl Visibility {
    fn as_str(self) -> &'static str {
        match self {
            Visibility::Public => "public",
            Visibility::Private => "private",
        }
    }
}

impl Permissions {
    /// `None` is the role of a caller who has none.
    pub fn new(role: Option<Role>) -> Self {
        Self {
            admin: role >= Some(Role::Admin),
            maintain: role >= Some(Role::Maintain),
            push: role >= Some(Role::Write),
            triage: role >= Some(Role::Triage),
            pull: role >= Some(Role::Read),
        }
    }
}

impl<'a> Repository<'a> {
    pub fn new(repo: &'a Repo, urls: &'a Urls) -> Self {
        let url = urls.repo(&repo.owner_login, &repo.name);
        let page = urls.repo_page(&repo.owner_login, &repo.name);
        let full_name = format!("{}/{}", repo.owner_login, repo.name);
        let host = urls.web().split_once("://").map_or("", |(_, host)| host);
        Self {
            id: repo.id,
            node_id: NodeId::new("R", 0).number(repo.id.0).finish(),
            name: &repo.name,
            owner: User::from_parts(repo.owner_id, repo.owner_kind, &repo.owner_login, repo.owner_site_admin, urls),
            private: repo.private,
            html_url: page,
            description: repo.description.as_deref(),
            fork: false,
            url,
            archive_url: url.template("/{archive_format}{/ref}"),
            assignees_url: url.template("/assignees{/user}"),
            blobs_url: url.template("/git/blobs{/sha}"),
            branches_url: url.template("/branches{/branch}"),
            collaborators_url: url.template("/collaborators{/collaborator}"),
            comments_url: url.template("/comments{/number}"),
            commits_url: url.template("/commits{/sha}"),
            compare_url: url.template("/compare/{base}...{head}"),
            contents_url: url.template("/contents/{+path}"),
            contributors_url: url.then(Fixed("/contributors")),
            deployments_url: url.then(Fixed("/deployments")),
            downloads_url: url.then(Fixed("/downloads")),
            events_url: url.then(Fixed("/events")),
            forks_url: url.then(Fixed("/forks")),
            git_commits_url: url.template("/git/commits{/sha}"),
            git_refs_url: url.template("/git/refs{/sha}"),
            git_tags_url: url.template("/git/tags{/sha}"),
            hooks_url: url.then(Fixed("/hooks")),
            issue_comment_url: url.template("/issues/comments{/number}"),
            issue_events_url: url.template("/issues/events{/number}"),
            issues_url: url.template("/issues{/number}"),
            keys_url: url.template("/keys{/key_id}"),
            labels_url: url.template("/labels{/name}"),
            languages_url: url.then(Fixed("/languages")),
            merges_url: url.then(Fixed("/merges")),
            milestones_url: url.template("/milestones{/number}"),
            notifications_url: url.template("/notifications{?since,all,participating}"),
            pulls_url: url.template("/pulls{/number}"),
            releases_url: url.template("/releases{/id}"),
            stargazers_url: url.then(Fixed("/stargazers")),
            statuses_url: url.template("/statuses/{sha}"),
            subscribers_url: url.then(Fixed("/subscribers")),
            subscription_url: url.then(Fixed("/subscription")),
            tags_url: url.then(Fixed("/tags")),
            teams_url: url.then(Fixed("/teams")),
            trees_url: url.template("/git/trees{/sha}"),
            git_url: format!("git://{host}/{full_name}.git"),
            ssh_url: format!("git@{host}:{full_name}.git"),
            full_name,
            clone_url: page.then(Fixed(".git")),
            mirror_url: None,
            svn_url: page,
            homepage: repo.homepage.as_deref(),
            language: repo.language.as_deref(),
            forks_count: 0,
            stargazers_count: 0,
            watchers_count: 0,
            size: repo.size,
            default_branch: &repo.default_branch,
            open_issues_count: 0,
            subscribers_count: 0,
            network_count: 0,
            forks: 0,
            open_issues: 0,
            watchers: 0,
            is_template: false,
            topics: repo.topics.split_whitespace().collect(),
            has_issues: true,
            has_projects: true,
            has_wiki: false,
            has_pages: false,
            has_downloads: true,
            has_discussions: false,
            archived: repo.archived,
            disabled: false,
            visibility: Word(if repo.private { Visibility::Private } else { Visibility::Public }),
            // Before the first push it is the time of creation: the specification and its clients know no null here.
            pushed_at: repo.pushed_at.unwrap_or(repo.created_at),
            created_at: repo.created_at,
            updated_at: repo.updated_at,
            allow_rebase_merge: true,
            allow_squash_merge: true,
            allow_auto_merge: false,
            delete_branch_on_merge: false,
            allow_merge_commit: true,
            allow_forking: true,
            web_commit_signoff_required: false,
            template_repository: None,
            temp_clone_token: "",
            license: repo.license.as_deref().map(License::new),
            organization: None,
            permissions: None,
            custom_properties: None,
        }
    }

    /// Adds what the caller may do.
    pub fn with_permissions(mut self, role: Option<Role>) -> Self {
        self.permissions = Some(Permissions::new(role));
        self
    }

    /// Adds the number of open issues, of which pull requests are some.
    pub fn with_open_issues(mut self, count: i64) -> Self {
        (self.open_issues_count, self.open_issues) = (count, count);
        self
    }

    /// Adds the organization that owns it, or null.
    pub fn with_organization(mut self, repo: &'a Repo, urls: &'a Urls) -> Self {
        let owner = User::from_parts(repo.owner_id, repo.owner_kind, &repo.owner_login, repo.owner_site_admin, urls);
        self.organization = Some((repo.owner_kind == AccountKind::Organization).then_some(owner));
        self
    }

    /// Adds the custom properties, which this service does not have.
    pub fn with_custom_properties(mut self) -> Self {
        self.custom_properties = Some(BTreeMap::new());
        self
    }
}
