//! Releases and statuses in the format of the state file.

use serde::Deserialize;

use super::name::Name;

/// Recognized by its tag, which must exist unless it is a draft.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    pub tag: Name,
    /// A branch or the id of a commit, the default branch by default.
    pub target: Option<String>,
    pub name: Option<String>,
    pub body: Option<String>,
    pub author: Name,
    #[serde(default)]
    pub draft: bool,
    #[serde(default)]
    pub prerelease: bool,
    #[serde(default)]
    pub assets: Vec<Asset>,
}

/// A file of a release, recognized by its name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asset {
    pub name: Name,
    pub label: Option<String>,
    /// `application/octet-stream` by default.
    pub content_type: Option<String>,
    pub content: String,
}

/// A status of a commit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// A branch, or a tag without a message.
    pub target: Name,
    pub state: Name,
    /// `default` by default, as in the API.
    pub context: Option<String>,
    pub description: Option<String>,
    pub target_url: Option<String>,
    pub creator: Name,
}
