//! The shape of the state file. Names that refer to something keep their line for error messages.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_saphyr::Spanned;

use plinth_base::error::{Error, Result};
use plinth_core::access::Role;
use plinth_core::accounts::OrgRole;
use plinth_core::tokens::{Level, TokenKind};

/// Everything that a file may describe.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StateFile {
    pub users: Vec<User>,
    pub orgs: Vec<Org>,
    pub repos: Vec<Repo>,
    pub issue_fields: Vec<super::issue_fields::IssueField>,
    pub projects: Vec<super::projects::Project>,
    pub pulls: Vec<Pull>,
    pub apps: Vec<App>,
    pub oauth_apps: Vec<OAuthApp>,
    pub installations: Vec<Installation>,
    pub tokens: Vec<Token>,
}

/// A name with the line where it stands.
pub type Name = Spanned<String>;

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
    /// Left out: what an imported repository says, or what it is already, or `main`.
    pub default_branch: Option<String>,
    #[serde(default)]
    pub collaborators: Vec<Collaborator>,
    /// Made in order, with the same ids every time.
    #[serde(default)]
    pub commits: Vec<Commit>,
    #[serde(default)]
    pub tags: Vec<Tag>,
    /// A repository in a folder of this machine, all of it.
    pub import: Option<Name>,
}

impl Repo {
    /// Whether the file says what is in the repository.
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
    /// New content by path; null takes a file away.
    #[serde(default)]
    pub files: BTreeMap<String, Option<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tag {
    pub name: String,
    pub target: String,
    /// Makes it an annotated tag.
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
    /// A fixed value, for tests; an app without one has no secret until one is made for it.
    pub client_secret: Option<Name>,
    pub private_key_file: Option<Name>,
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
    /// What the account has granted; left out: all that the app asks for.
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
    #[serde(default)]
    pub comments: Vec<ReviewComment>,
}

/// A comment on a line, on a range, on a position of the diff, or with neither on the whole file.
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
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewReply {
    pub author: Name,
    pub body: Name,
}

/// Reads the text; the message of an error names line, column and field.
pub fn parse(text: &str) -> Result<StateFile> {
    if text.trim().is_empty() {
        return Ok(StateFile::default());
    }
    serde_saphyr::from_str(text).map_err(|error| Error::BadRequest(error.to_string()))
}

/// A complaint about a value, at its line.
pub fn problem<T>(at: &Spanned<T>, field: &str, message: impl std::fmt::Display) -> Error {
    Error::BadRequest(format!("line {}, {field}: {message}", at.referenced.line()))
}
