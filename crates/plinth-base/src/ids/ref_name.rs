//! Names of refs, judged once at the edge.

use std::fmt;

/// A full ref name such as `refs/heads/main`, well formed for git and within our own limits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefName(String);

/// Which rule a ref name breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefNameError {
    /// Git itself would refuse the name.
    Malformed,
    /// A component begins with `-`, which a command could take for an option.
    LeadingDash,
    /// A component, or the whole, is longer than its limit.
    TooLong,
}

impl RefName {
    pub const LENGTH_MAX: usize = 1_024;
    /// File systems of those who clone cannot hold a longer file name.
    pub const COMPONENT_LENGTH_MAX: usize = 255;

    /// Judges a full name by git's rules for refs and by ours.
    pub fn parse(name: &str) -> Result<Self, RefNameError> {
        if name.len() > Self::LENGTH_MAX {
            return Err(RefNameError::TooLong);
        }
        let has_bad_sequence = name.contains("..") || name.contains("@{") || name.ends_with('.');
        if has_bad_sequence || !name.contains('/') || name.bytes().any(is_forbidden) {
            return Err(RefNameError::Malformed);
        }
        name.split('/').try_for_each(check_component)?;
        Ok(Self(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How many parts the slashes make: `refs/heads/main` has three.
    pub fn component_count(&self) -> usize {
        self.0.split('/').count()
    }
}

fn check_component(component: &str) -> Result<(), RefNameError> {
    if component.is_empty() || component.starts_with('.') || component.ends_with(".lock") {
        return Err(RefNameError::Malformed);
    }
    if component.starts_with('-') {
        return Err(RefNameError::LeadingDash);
    }
    if component.len() > RefName::COMPONENT_LENGTH_MAX {
        return Err(RefNameError::TooLong);
    }
    Ok(())
}

fn is_forbidden(byte: u8) -> bool {
    byte.is_ascii_control() || matches!(byte, b' ' | b'~' | b'^' | b':' | b'?' | b'*' | b'[' | b'\\')
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

impl fmt::Display for RefNameError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            RefNameError::Malformed => "the name is not well formed",
            RefNameError::LeadingDash => "no part of the name may begin with a dash",
            RefNameError::TooLong => "the name, or a part of it, is too long",
        })
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
    fn our_own_rules_stand_on_top_of_those_of_git() {
        let long = |length| format!("refs/heads/{}", "x".repeat(length));
        let deep = format!("refs/{}", "a/".repeat(600));
        for (name, verdict) in [
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
            assert_eq!(RefName::parse(name).err(), verdict, "{name:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn git_judges_names_as_we_do(
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
            // Dashes are ours to refuse, and git would read a leading one as an option.
            prop_assume!(RefName::parse(&name) != Err(RefNameError::LeadingDash) && !name.starts_with('-'));
            prop_assert_eq!(RefName::parse(&name).is_ok(), git_accepts(&name), "{:?}", name);
        }
    }
}
