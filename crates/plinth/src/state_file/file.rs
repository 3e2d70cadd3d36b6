//! The format of the state file.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

use super::hook::{Hook, HookSecret};
use super::issue::{Issue, Label};
use super::name::Name;
use super::project_item::ProjectItem;
use super::release::{Release, Status};
use plinth_base::error::{Error, Result};
use plinth_core::access::Role;
use plinth_core::accounts::OrgRole;
use plinth_core::issue_fields::model::{DataType, Visibility};
use plinth_core::projects::Color;
use plinth_core::tokens::{Level, TokenKind};

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StateFile {
    pub users: Vec<User>,
    pub orgs: Vec<Org>,
    pub repos: Vec<Repo>,
    pub issue_fields: Vec<IssueField>,
    pub projects: Vec<Project>,
    pub pulls: Vec<Pull>,
    pub issues: Vec<Issue>,
    pub apps: Vec<App>,
    pub oauth_apps: Vec<OAuthApp>,
    pub installations: Vec<Installation>,
    pub tokens: Vec<Token>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct User {
    pub login: Name,
    pub name: Option<String>,
    pub email: Option<String>,
    #[serde(default)]
    pub site_admin: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Org {
    pub login: Name,
    pub name: Option<String>,
    pub email: Option<String>,
    #[serde(default)]
    pub members: Vec<Member>,
    #[serde(default)]
    pub hooks: Vec<Hook>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    pub user: Name,
    pub role: OrgRole,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repo {
    /// `owner/name`.
    pub name: Name,
    pub description: Option<String>,
    #[serde(default)]
    pub private: bool,
    #[serde(default)]
    pub archived: bool,
    /// By default that of the import, or the current one, or `main`.
    pub default_branch: Option<String>,
    /// Without it, it stays as it is.
    pub homepage: Option<Name>,
    /// All topics; without them, they stay as they are.
    pub topics: Option<Vec<String>>,
    #[serde(default)]
    pub labels: Vec<Label>,
    #[serde(default)]
    pub collaborators: Vec<Collaborator>,
    /// Created in order, with the same ids every time.
    #[serde(default)]
    pub commits: Vec<Commit>,
    #[serde(default)]
    pub tags: Vec<Tag>,
    #[serde(default)]
    pub statuses: Vec<Status>,
    #[serde(default)]
    pub releases: Vec<Release>,
    /// The directory of a repository on this machine, which is copied as a whole.
    pub import: Option<Name>,
    #[serde(default)]
    pub hooks: Vec<Hook>,
}

impl Repo {
    /// Whether the file describes the content of the repository.
    pub fn has_history(&self) -> bool {
        self.import.is_some() || !self.commits.is_empty() || !self.tags.is_empty()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    pub branch: String,
    /// The branch or tag that a new branch starts from.
    pub from: Option<String>,
    pub author: Name,
    pub message: String,
    /// New content by path; null deletes a file.
    #[serde(default)]
    pub files: BTreeMap<String, Option<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tag {
    pub name: String,
    pub target: String,
    /// The message of an annotated tag; a tag without one is lightweight.
    pub message: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collaborator {
    pub user: Name,
    pub permission: Role,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct App {
    pub slug: Name,
    pub name: Option<String>,
    pub owner: Name,
    #[serde(default)]
    pub permissions: BTreeMap<String, Level>,
    #[serde(default)]
    pub events: Vec<String>,
    pub client_id: Option<String>,
    /// A fixed value, for tests. Without it the app has no secret until one is created.
    pub client_secret: Option<Name>,
    pub private_key_file: Option<Name>,
    pub webhook_url: Option<Name>,
    pub webhook_secret: Option<HookSecret>,
}

/// An app that acts for users with scopes: `gh` and other programs that sign in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OAuthApp {
    pub slug: Name,
    pub name: Option<String>,
    pub owner: Name,
    pub client_id: Option<String>,
    pub client_secret: Option<Name>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Installation {
    pub app: Name,
    pub account: Name,
    pub repositories: Repositories,
    /// The granted permissions, by default those of the app.
    pub permissions: Option<BTreeMap<String, Level>>,
    #[serde(default)]
    pub suspended: bool,
}

/// `all`, or a list of `owner/name`.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Repositories {
    Word(String),
    Listed(Vec<String>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    pub kind: Spanned<TokenKind>,
    pub user: Option<Name>,
    pub scopes: Option<Vec<String>>,
    pub owner: Option<Name>,
    pub repositories: Option<Repositories>,
    pub permissions: Option<BTreeMap<String, Level>>,
    pub app: Option<Name>,
    pub account: Option<Name>,
    pub expires_at: Option<Name>,
    /// A fixed value, for tests.
    pub token: Option<Name>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IssueField {
    pub org: Name,
    pub name: Name,
    pub description: Option<String>,
    pub data_type: DataType,
    #[serde(default)]
    pub visibility: Visibility,
    #[serde(default)]
    pub options: Vec<FieldOption>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldOption {
    pub name: String,
    pub description: Option<String>,
    pub color: Color,
    pub priority: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    pub owner: Name,
    pub title: Name,
    pub short_description: Option<String>,
    #[serde(default)]
    pub public: bool,
    /// By default the owner.
    pub creator: Option<Name>,
    /// Each is what the API takes to add a field, or `issue_field` with the name of one of the owner's issue fields.
    #[serde(default)]
    pub fields: Vec<Spanned<Map<String, Value>>>,
    #[serde(default)]
    pub items: Vec<ProjectItem>,
}

/// Numbered in the order of the file, from 1 in each repository.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// `owner/name`.
    pub repo: Name,
    pub title: Name,
    pub body: Option<String>,
    pub author: Name,
    pub head: Name,
    pub base: Name,
    #[serde(default)]
    pub draft: bool,
    #[serde(default)]
    pub closed: bool,
    /// Users whose reviews the author requests.
    #[serde(default)]
    pub reviewers: Vec<Name>,
    #[serde(default)]
    pub comments: Vec<ReviewComment>,
}

/// A comment on a line, a range or a position of the diff; with none of these, on the whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewComment {
    pub author: Name,
    pub body: Name,
    pub path: Name,
    pub line: Option<i64>,
    pub side: Option<Name>,
    pub start_line: Option<i64>,
    pub start_side: Option<Name>,
    pub position: Option<i64>,
    #[serde(default)]
    pub replies: Vec<ReviewReply>,
    /// Who has resolved the thread.
    pub resolved_by: Option<Name>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewReply {
    pub author: Name,
    pub body: Name,
}

/// Parses a state file. An error names line, column and field.
pub fn parse(text: &str) -> Result<StateFile> {
    if text.trim().is_empty() {
        return Ok(StateFile::default());
    }
    serde_saphyr::from_str(text).map_err(|error| Error::BadRequest(error.to_string()))
}
