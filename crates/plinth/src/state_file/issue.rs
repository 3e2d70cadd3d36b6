//! Issues and labels in the format of the state file.

use serde::Deserialize;

use super::name::Name;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    pub name: Name,
    pub color: Option<String>,
    pub description: Option<String>,
}

/// Recognized by its title. New ones are numbered after the pull requests of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// `owner/name`.
    pub repo: Name,
    pub title: Name,
    pub body: Option<String>,
    pub author: Name,
    #[serde(default)]
    pub closed: bool,
    /// Names. Labels that do not exist are created.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Logins.
    #[serde(default)]
    pub assignees: Vec<String>,
    #[serde(default)]
    pub comments: Vec<IssueComment>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IssueComment {
    pub author: Name,
    pub body: Name,
}
