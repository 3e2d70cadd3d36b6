//! Ref names, validated where they enter the service.

use std::fmt;

use gix_validate::reference;

/// A full ref name such as `refs/heads/main`, well formed for git and within our own limits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefName(String);

/// The rule that a ref name breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RefNameError {
    /// Git itself rejects the name.
    #[error("the name is not well formed")]
    Malformed,
    /// A component begins with `-`, which a command could parse as an option.
    #[error("no part of the name may begin with a dash")]
    LeadingDash,
    /// A component, or the whole name, is longer than its limit.
    #[error("the name, or a part of it, is too long")]
    TooLong,
}

impl RefName {
    pub const LENGTH_MAX: usize = 1_024;
    /// Longer file names are not possible on the file systems of clients.
    pub const COMPONENT_LENGTH_MAX: usize = 255;

    /// Validates a full name by git's rules for refs and by ours.
    pub fn parse(name: &str) -> Result<Self, RefNameError> {
        name.to_owned().try_into()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number of components: `refs/heads/main` has three.
    pub fn component_count(&self) -> usize {
        self.0.split('/').count()
    }
}

impl TryFrom<String> for RefName {
    type Error = RefNameError;

    fn try_from(name: String) -> Result<Self, RefNameError> {
        if !is_plain(&name) {
            check(&name)?;
        }
        Ok(Self(name))
    }
}

/// Whether a name is valid at first sight, as nearly all are: short, and of letters, digits, dashes and underscores in
/// components that begin with something other than a dash.
fn is_plain(name: &str) -> bool {
    let mut at_start = true;
    let mut slashes = 0;
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => at_start = false,
            b'-' if !at_start => {}
            b'/' if !at_start => (at_start, slashes) = (true, slashes + 1),
            _ => return false,
        }
    }
    !at_start && slashes > 0 && name.len() <= RefName::COMPONENT_LENGTH_MAX
}

fn check(name: &str) -> Result<(), RefNameError> {
    if name.len() > RefName::LENGTH_MAX {
        return Err(RefNameError::TooLong);
    }
    // Without a slash, git knows only special refs such as HEAD.
    if !name.contains('/') || reference::name(name.into()).is_err() {
        return Err(RefNameError::Malformed);
    }
    name.split('/').try_for_each(check_component)
}

fn check_component(component: &str) -> Result<(), RefNameError> {
    if component.starts_with('-') {
        return Err(RefNameError::LeadingDash);
    }
    if component.len() > RefName::COMPONENT_LENGTH_MAX {
        return Err(RefNameError::TooLong);
    }
    Ok(())
}

impl AsRef<str> for RefName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn git_accepts(name: &str) -> bool {
        std::process::Command::new("git").args(["check-ref-format", name]).status().expect("git runs").success()
    }

    #[test]
    fn parse_applies_own_rules_in_addition_to_git() {
        let long = |length| format!("refs/heads/{}", "x".repeat(length));
        let deep = format!("refs/{}", "a/".repeat(600));
        for (name, expected) in [
            ("refs/heads/x-1_Y", None),
            ("/refs/heads/x", Some(RefNameError::Malformed)),
            ("refs/heads/x/", Some(RefNameError::Malformed)),
            ("refs/heads//x", Some(RefNameError::Malformed)),
            ("refs/heads/-x", Some(RefNameError::LeadingDash)),
            ("refs/-h/x", Some(RefNameError::LeadingDash)),
            (&long(255), None),
            (&long(256), Some(RefNameError::TooLong)),
            (&deep, Some(RefNameError::TooLong)),
            ("refs/heads/x-", None),
            ("refs/heads/ünï", None),
            ("refs/heads/a\n", Some(RefNameError::Malformed)),
            ("refs/heads/a\u{7f}", Some(RefNameError::Malformed)),
            ("HEAD", Some(RefNameError::Malformed)),
            ("", Some(RefNameError::Malformed)),
        ] {
            assert_eq!(RefName::parse(name).err(), expected, "{name:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn short_names_of_usual_characters_are_plain_if_they_are_valid(name in "([a-zA-Z0-9_-]{0,3}/?){0,6}") {
            prop_assert_eq!(is_plain(&name), check(&name).is_ok(), "{:?}", name);
        }

        #[test]
        fn parse_agrees_with_git(
            name in prop::collection::vec(
                prop_oneof![
                    4 => "[a-z]{1,3}",
                    4 => Just("/".to_owned()),
                    1 => Just(".lock".to_owned()),
                    1 => Just("@{".to_owned()),
                    1 => Just("@".to_owned()),
                    2 => Just(".".to_owned()),
                    1 => "[ -~]",
                    1 => "[\u{1}-\u{1f}\u{7f}é]",
                ],
                1..7,
            ).prop_map(|parts| parts.concat())
        ) {
            // The rule about dashes is ours, and git would parse a leading one as an option.
            prop_assume!(RefName::parse(&name) != Err(RefNameError::LeadingDash) && !name.starts_with('-'));
            prop_assert_eq!(RefName::parse(&name).is_ok(), git_accepts(&name), "{:?}", name);
        }
    }
}
