//! Which requests a rule is about.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known of a request before it is processed.
pub struct Asked<'a> {
    pub method: &'a Method,
    pub path: &'a str,
    pub operation: Option<&'static str>,
    pub token: Option<&'a str>,
}

/// A condition on requests; what is left out matches everything.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// `*` stands for anything within a part of the path, `**` for anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The name of the operation in the documentation, such as `git/create-ref`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    #[serde(default, skip_serializing)]
    pub token: Option<String>,
}

impl Pattern {
    /// Whether it matches everything.
    pub fn is_empty(&self) -> bool {
        let Self { method, path, operation, token } = self;
        [method, path, operation, token].iter().all(|part| part.is_none())
    }

    pub fn matches(&self, asked: &Asked<'_>) -> bool {
        let is_method = |method: &String| method.eq_ignore_ascii_case(asked.method.as_str());
        self.method.as_ref().is_none_or(is_method)
            && self.path.as_ref().is_none_or(|path| matches_path(path.as_bytes(), asked.path.as_bytes()))
            && self.operation.as_ref().is_none_or(|operation| asked.operation == Some(operation))
            && self.token.as_ref().is_none_or(|token| asked.token == Some(token))
    }
}

/// Compares from left to right, and returns to the last `*` or `**` where that fails. Each byte of the path is compared
/// at most once for each byte of the pattern.
fn matches_path(pattern: &[u8], path: &[u8]) -> bool {
    // For every prefix of the pattern, whether it matches the part of the path that was read.
    let mut states = vec![false; pattern.len() + 1];
    states[0] = true;
    skip_stars(pattern, &mut states);
    for byte in path {
        let mut next = vec![false; pattern.len() + 1];
        for (at, expected) in pattern.iter().enumerate().filter(|(at, _)| states[*at]) {
            match expected {
                b'*' if is_any(pattern, at) || *byte != b'/' => next[at] = true,
                b'*' => {}
                _ if expected == byte => next[at + 1] = true,
                _ => {}
            }
        }
        skip_stars(pattern, &mut next);
        states = next;
    }
    states[pattern.len()]
}

/// A star may stand for nothing.
fn skip_stars(pattern: &[u8], states: &mut [bool]) {
    for at in 0..pattern.len() {
        if states[at] && pattern[at] == b'*' {
            states[at + 1] = true;
        }
    }
}

/// Whether the star is one of two.
fn is_any(pattern: &[u8], at: usize) -> bool {
    pattern.get(at + 1) == Some(&b'*') || at.checked_sub(1).is_some_and(|before| pattern[before] == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_parts_of_a_path() {
        let matches = |pattern: &str, path: &str| matches_path(pattern.as_bytes(), path.as_bytes());
        for (pattern, path) in [
            ("/user", "/user"),
            ("/repos/*/*/git/refs", "/repos/acme/rocket/git/refs"),
            ("/repos/acme/r*t", "/repos/acme/rocket"),
            ("/repos/**", "/repos/acme/rocket/git/refs/heads/a"),
            ("**/refs/**", "/repos/acme/rocket/git/refs/heads/a"),
            ("*", ""),
        ] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in
            [("/user", "/users"), ("/repos/*", "/repos/acme/rocket"), ("/repos/*/b", "/repos/a/c"), ("", "/")]
        {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
        assert!(!matches(&"*a".repeat(200), &"a".repeat(2_000).replace('a', "ab")));
    }
}
