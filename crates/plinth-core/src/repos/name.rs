//! Repository names: compared without case, shown as first written, never a path on disk.

use std::fmt;

use plinth_base::ids::RepoId;

/// A valid repository name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoName(String);

/// Why a text is not a repository name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepoNameError {
    Length,
    Characters,
    Reserved,
}

impl RepoName {
    pub const LENGTH_MAX: usize = 100;

    /// Accepts ASCII letters, digits, `-`, `_` and `.`; the endings of clone URLs are reserved.
    pub fn parse(text: &str) -> Result<Self, RepoNameError> {
        if text.is_empty() || text.len() > Self::LENGTH_MAX {
            return Err(RepoNameError::Length);
        }
        if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) {
            return Err(RepoNameError::Characters);
        }
        let key = name_key(text);
        if key == "." || key == ".." || key.ends_with(".git") || key.ends_with(".wiki") {
            return Err(RepoNameError::Reserved);
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name in lower case, as it is compared.
pub fn name_key(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// What a deleted repository has instead of the key of its name, which is free. No request finds it by that: keys of
/// names have no upper-case letters.
pub fn deleted_name_key(id: RepoId) -> String {
    format!("DELETED-{id}")
}

impl fmt::Display for RepoNameError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            RepoNameError::Length => "a repository name has 1 to 100 characters",
            RepoNameError::Characters => "a repository name has only letters, digits, '-', '_' and '.'",
            RepoNameError::Reserved => "the name is reserved",
        })
    }
}

impl std::error::Error for RepoNameError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_finds_a_deleted_repository() {
        let key = deleted_name_key(RepoId(7));
        assert_ne!(name_key(&key), key);
        assert_ne!(deleted_name_key(RepoId(8)), key);
    }

    #[test]
    fn parse_rejects_bad_length_bad_characters_and_reserved_names() {
        for good in ["a", "hello.world", "-x", "A_b", &"a".repeat(100)] {
            assert!(RepoName::parse(good).is_ok(), "{good}");
        }
        for (bad, why) in [
            ("", RepoNameError::Length),
            (&"a".repeat(101), RepoNameError::Length),
            ("a b", RepoNameError::Characters),
            ("a/b", RepoNameError::Characters),
            ("a\0", RepoNameError::Characters),
            ("..", RepoNameError::Reserved),
            ("x.git", RepoNameError::Reserved),
            ("X.GIT", RepoNameError::Reserved),
        ] {
            assert_eq!(RepoName::parse(bad), Err(why), "{bad}");
        }
    }
}
