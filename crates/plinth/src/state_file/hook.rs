//! The format of hooks in a state file.

use serde::Deserialize;

use super::name::Name;

/// A hook of a repository or an organization, identified by its URL.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    pub url: Name,
    /// `push` by default.
    pub events: Option<Vec<String>>,
    /// `json` or `form`; `form` by default.
    pub content_type: Option<Name>,
    pub secret: Option<HookSecret>,
    #[serde(default = "yes")]
    pub active: bool,
    #[serde(default)]
    pub insecure_ssl: bool,
}

fn yes() -> bool {
    true
}

/// A secret, which no debug output shows.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct HookSecret(pub String);

impl std::fmt::Debug for HookSecret {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("[redacted]")
    }
}
