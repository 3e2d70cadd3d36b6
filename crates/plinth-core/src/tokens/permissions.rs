//! What an app, an installation or a fine-grained token may do: a level for each named permission.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The level of a permission. Each level includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Read,
    Write,
    Admin,
}

impl Level {
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Read => "read",
            Level::Write => "write",
            Level::Admin => "admin",
        }
    }
}

/// Levels by permission name, including names that the service does not use.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Permissions(BTreeMap<String, Level>);

const NAME_LENGTH_MAX: usize = 64;

impl Permissions {
    /// Every grant includes `metadata`.
    pub fn with_metadata(mut self) -> Self {
        self.0.entry("metadata".into()).or_insert(Level::Read);
        self
    }

    pub fn insert(&mut self, name: String, level: Level) {
        self.0.insert(name, level);
    }

    pub fn allows(&self, name: &str, level: Level) -> bool {
        self.0.get(name).is_some_and(|granted| *granted >= level)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether `other` grants all of these permissions.
    pub fn is_within(&self, other: &Permissions) -> bool {
        self.0.iter().all(|(name, level)| other.allows(name, *level))
    }

    /// What both grant: a token never has more permissions than its installation has now.
    pub fn intersection(&self, other: &Permissions) -> Permissions {
        let common = self
            .0
            .iter()
            .filter_map(|(name, level)| other.0.get(name).map(|granted| (name.clone(), *level.min(granted))));
        Permissions(common.collect())
    }

    /// The first name that is not valid.
    pub fn bad_name(&self) -> Option<&str> {
        let is_good = |name: &&String| {
            !name.is_empty()
                && name.len() <= NAME_LENGTH_MAX
                && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };
        self.0.keys().find(|name| !is_good(name)).map(String::as_str)
    }

    /// The stored form.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("a map of words is always JSON")
    }
}

impl FromStr for Permissions {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

impl FromIterator<(String, Level)> for Permissions {
    fn from_iter<I: IntoIterator<Item = (String, Level)>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl plinth_store::Column for Permissions {
    type Raw = String;

    fn from_raw(raw: String) -> Result<Self, plinth_store::DbError> {
        raw.parse().map_err(|error: serde_json::Error| plinth_store::DbError::Fault(error.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permissions(text: &str) -> Permissions {
        text.parse().expect("the test's JSON is good")
    }

    #[test]
    fn allows_includes_lower_levels_only() {
        let granted = permissions(r#"{"contents":"write","issues":"read"}"#);
        assert!(granted.allows("contents", Level::Read) && granted.allows("contents", Level::Write));
        assert!(!granted.allows("contents", Level::Admin));
        assert!(!granted.allows("issues", Level::Write));
        assert!(!granted.allows("pull_requests", Level::Read));
    }

    #[test]
    fn intersection_never_adds_permissions() {
        let installation = permissions(r#"{"contents":"read","issues":"write"}"#);
        assert!(permissions(r#"{"contents":"read"}"#).is_within(&installation));
        assert!(!permissions(r#"{"contents":"write"}"#).is_within(&installation));
        let token = permissions(r#"{"contents":"write","checks":"read"}"#);
        assert_eq!(token.intersection(&installation), permissions(r#"{"contents":"read"}"#));
    }
}
