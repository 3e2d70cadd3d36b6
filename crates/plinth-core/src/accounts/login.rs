//! Logins: one namespace for users, organizations and bots, compared without case and shown as first written.

use std::fmt;

/// The first path segments of the service; an account with such a name would hide them.
const RESERVED: &[&str] = &[
    "api",
    "app",
    "apps",
    "assets",
    "avatars",
    "docs",
    "health",
    "healthz",
    "installation",
    "installations",
    "login",
    "logout",
    "meta",
    "metrics",
    "new",
    "notifications",
    "openapi",
    "organizations",
    "orgs",
    "projects",
    "rate_limit",
    "readyz",
    "repos",
    "repositories",
    "settings",
    "setup",
    "static",
    "user",
    "users",
    "versions",
    "zen",
];

/// A valid login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login(String);

/// Why a text is not a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginError {
    Length,
    Characters,
    Reserved,
}

impl Login {
    pub const LENGTH_MAX: usize = 39;

    /// Accepts letters, digits and single inner hyphens.
    pub fn parse(text: &str) -> Result<Self, LoginError> {
        if text.is_empty() || text.len() > Self::LENGTH_MAX {
            return Err(LoginError::Length);
        }
        let allowed = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !allowed || text.starts_with('-') || text.ends_with('-') || text.contains("--") {
            return Err(LoginError::Characters);
        }
        if RESERVED.contains(&login_key(text).as_str()) {
            return Err(LoginError::Reserved);
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The login in lower case, as it is compared.
pub fn login_key(login: &str) -> String {
    login.to_ascii_lowercase()
}

impl fmt::Display for LoginError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            LoginError::Length => "a login has 1 to 39 characters",
            LoginError::Characters => "a login has letters, digits and single hyphens that do not begin or end it",
            LoginError::Reserved => "the name is reserved",
        })
    }
}

impl std::error::Error for LoginError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_rejects_bad_length_bad_characters_and_reserved_logins() {
        for good in ["a", "octo-org", "Mona", "x1", &"a".repeat(39)] {
            assert!(Login::parse(good).is_ok(), "{good}");
        }
        for (bad, why) in [
            ("", LoginError::Length),
            (&"a".repeat(40), LoginError::Length),
            ("-a", LoginError::Characters),
            ("a-", LoginError::Characters),
            ("a--b", LoginError::Characters),
            ("a/b", LoginError::Characters),
            ("..", LoginError::Characters),
            ("ä", LoginError::Characters),
            ("helper[bot]", LoginError::Characters),
            ("Repos", LoginError::Reserved),
            ("api", LoginError::Reserved),
        ] {
            assert_eq!(Login::parse(bad), Err(why), "{bad}");
        }
    }
}
