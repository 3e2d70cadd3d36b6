//! Secrets: random, shown once, stored as a hash.

use std::fmt;

use aws_lc_rs::digest::{SHA256, digest};

use super::TokenKind;

/// The text of a token. It cannot get into a log: its debug form is redacted, and it is not serializable.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A new token of this kind, with more than 128 random bits.
    pub fn generate(kind: TokenKind) -> Self {
        let prefix = kind.prefix();
        Self(match kind {
            TokenKind::FineGrained => format!("{prefix}{}_{}", random_text(22), random_text(59)),
            TokenKind::Classic | TokenKind::OAuth | TokenKind::AppUser | TokenKind::Installation => {
                format!("{prefix}{}", random_text(36))
            }
        })
    }

    /// The text itself, to show it once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The stored form, which look-ups compare.
    pub fn hash(&self) -> [u8; 32] {
        hash(&self.0)
    }

    /// Enough to recognize the token in a list, not enough to use it.
    pub fn hint(&self) -> String {
        const SHOWN: usize = 4;
        let shown: String = self.0.chars().rev().take(SHOWN).collect::<Vec<_>>().into_iter().rev().collect();
        format!("…{shown}")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[redacted]")
    }
}

/// The SHA-256 of a text.
pub fn hash(text: &str) -> [u8; 32] {
    digest(&SHA256, text.as_bytes()).as_ref().try_into().expect("SHA-256 has 32 bytes")
}

/// Random letters and digits, all equally likely.
pub fn random_text(length: usize) -> String {
    random_of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", length)
}

/// Random capital letters that are easy to read and type, without vowels, so that they form no words.
pub fn random_letters(length: usize) -> String {
    random_of(b"BCDFGHJKLMNPQRSTVWXZ", length)
}

fn random_of(alphabet: &[u8], length: usize) -> String {
    // Larger bytes would make the first letters more likely.
    let fair_below = 256 - 256 % alphabet.len();
    let mut text = String::with_capacity(length);
    let mut bytes = [0u8; 64];
    while text.len() < length {
        // Directly from the system: the generator of aws-lc collects entropy for 40 ms before its first byte.
        getrandom::fill(&mut bytes).expect("the system has a random generator");
        let fair = bytes.iter().map(|byte| usize::from(*byte)).filter(|byte| *byte < fair_below);
        let letters = fair.map(|byte| char::from(alphabet[byte % alphabet.len()]));
        text.extend(letters.take(length - text.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generate_uses_prefix_and_length_of_the_kind() {
        for (kind, prefix, length) in [
            (TokenKind::Classic, "ghp_", 40),
            (TokenKind::FineGrained, "github_pat_", 93),
            (TokenKind::OAuth, "gho_", 40),
            (TokenKind::AppUser, "ghu_", 40),
            (TokenKind::Installation, "ghs_", 40),
        ] {
            let (one, two) = (Secret::generate(kind), Secret::generate(kind));
            assert!(one.reveal().starts_with(prefix) && one.reveal().len() == length, "{kind:?}");
            assert_ne!(one.reveal(), two.reveal());
            assert_eq!(format!("{one:?}"), "[redacted]");
        }
    }

    #[test]
    fn random_text_uses_the_whole_alphabet() {
        let letters: std::collections::HashSet<char> = random_text(20_000).chars().collect();
        assert_eq!(letters.len(), 62);
    }
}
