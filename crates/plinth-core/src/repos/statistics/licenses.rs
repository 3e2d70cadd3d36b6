//! The licence of a repository, recognized by its text.

use std::collections::HashSet;

use crate::repos::license_texts::LICENSES;

/// Names of files with a licence in the root directory, in upper case and without their extension.
const NAMES: &[&str] = &["LICENSE", "LICENCE", "COPYING", "UNLICENSE"];
const EXTENSIONS: &[&str] = &["", "md", "txt", "rst"];
/// Words that two texts have in common, in percent of all words of both.
const SIMILARITY_MIN: usize = 95;

/// A licence with a text that is not known.
pub const OTHER: &str = "other";

/// Whether a file of the root directory has a licence.
pub fn is_license_file(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_ascii_uppercase();
    let (stem, extension) = name.split_once('.').unwrap_or((&name, ""));
    NAMES.contains(&stem) && EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
}

/// The key of the licence with this text, or [`OTHER`].
pub fn recognize(text: &str) -> &'static str {
    let words = words(text);
    let similarity = |known: &str| {
        let known = self::words(known);
        // The Dice coefficient of two sets.
        200 * words.intersection(&known).count() / (words.len() + known.len()).max(1)
    };
    let best = LICENSES.iter().map(|(key, text)| (similarity(text), *key)).max();
    best.filter(|(similarity, _)| *similarity >= SIMILARITY_MIN).map_or(OTHER, |(_, key)| key)
}

/// The words of a text, without those that differ between copies of a licence.
fn words(text: &str) -> HashSet<String> {
    let is_own = |line: &&str| {
        let line = line.trim().to_ascii_lowercase();
        line.starts_with("copyright") && !line.contains("license")
    };
    let lines = text.lines().filter(|line| !is_own(line));
    let words = lines.flat_map(|line| line.split(|character: char| !character.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_text_is_recognized_with_another_owner_and_other_line_breaks() {
        for (key, text) in LICENSES {
            let own = text.replace("<year>", "2026").replace("<copyright holders>", "Mona").replace("<owner>", "Mona");
            assert_eq!(recognize(&own), key);
            assert_eq!(recognize(&own.replace('\n', "\r\n  ")), key);
        }
    }

    #[test]
    fn other_texts_are_other() {
        for text in ["", "All rights reserved.", "Permission is hereby granted to nobody."] {
            assert_eq!(recognize(text), OTHER);
        }
    }

    #[test]
    fn names_of_licence_files() {
        for (name, expected) in [
            ("LICENSE", true),
            ("license.md", true),
            ("COPYING.txt", true),
            ("LICENSE.rs", false),
            ("LICENSE-MIT", false),
            ("licenses", false),
        ] {
            assert_eq!(is_license_file(name.as_bytes()), expected, "{name}");
        }
    }
}
