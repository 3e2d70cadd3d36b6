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

    /// The name for what a user enters: each run of other printable characters becomes a dash, and the ending of clone
    /// URLs goes.
    pub fn from_input(text: &str) -> Result<Self, RepoNameError> {
        if text.chars().any(char::is_control) {
            return Err(RepoNameError::Characters);
        }
        let mut name = String::with_capacity(text.len().min(Self::LENGTH_MAX + 1));
        let mut in_run = false;
        for letter in text.chars() {
            let is_allowed = letter.is_ascii_alphanumeric() || "-_.".contains(letter);
            if is_allowed {
                name.push(letter);
            } else if !in_run {
                name.push('-');
            }
            in_run = !is_allowed;
        }
        let stem = name.len().saturating_sub(".git".len());
        if stem > 0 && name[stem..].eq_ignore_ascii_case(".git") {
            name.truncate(stem);
        }
        Self::parse(&name)
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
    fn from_input_replaces_runs_of_other_characters_and_the_suffix() {
        for (text, name) in [
            ("abc;def*_ghi", "abc-def-_ghi"),
            ("abc;def%()ghi!", "abc-def-ghi-"),
            ("\u{c5}str\u{f6}m", "-str-m"),
            ("x.git", "x"),
            ("X.GIT", "X"),
            ("a b.git", "a-b"),
        ] {
            assert_eq!(RepoName::from_input(text).expect(text).as_str(), name);
        }
        assert_eq!(RepoName::from_input(&format!("a{}z", "\u{118d0}".repeat(150))).expect("short").as_str(), "a-z");
        assert_eq!(RepoName::from_input(&"z".repeat(101)), Err(RepoNameError::Length));
        assert_eq!(RepoName::from_input(""), Err(RepoNameError::Length));
        assert_eq!(RepoName::from_input("a\0b"), Err(RepoNameError::Characters));
        assert_eq!(RepoName::from_input(".git"), Err(RepoNameError::Reserved));
    }

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
