//! Validation of files of releases.

use plinth_base::error::{Code, Error, FieldError, Result};

const RESOURCE: &str = "ReleaseAsset";
/// Files of one release, as on GitHub.
pub const ASSETS_MAX: i64 = 1_000;
const NAME_LENGTH_MAX: usize = 255;
const CONTENT_TYPE_LENGTH_MAX: usize = 255;

/// GitHub's name for a file: other characters than these become dots, and dots at the ends are left out.
pub fn normalize(name: &str) -> String {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_.+@~".contains(letter);
    let text: String = name.chars().map(|letter| if is_allowed(letter) { letter } else { '.' }).collect();
    let mut normalized = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter != '.' || !normalized.ends_with('.') {
            normalized.push(letter);
        }
    }
    normalized.trim_matches('.').to_owned()
}

/// Reports every invalid field. The name is normalized already.
pub fn check(name: &str, label: Option<&str>, content_type: &str) -> Result<()> {
    let mut invalid = Vec::new();
    if name.is_empty() {
        invalid.push(FieldError::new(RESOURCE, "name", Code::MissingField));
    }
    for (field, text, length_max) in [
        ("name", name, NAME_LENGTH_MAX),
        ("label", label.unwrap_or_default(), NAME_LENGTH_MAX),
        ("content_type", content_type, CONTENT_TYPE_LENGTH_MAX),
    ] {
        if text.chars().count() > length_max || text.contains('\0') {
            invalid.push(FieldError::new(RESOURCE, field, Code::Invalid));
        }
    }
    if invalid.is_empty() { Ok(()) } else { Err(Error::Invalid(invalid)) }
}

pub fn name_exists() -> Error {
    Error::invalid(RESOURCE, "name", Code::AlreadyExists)
}

pub fn too_many() -> Error {
    let message = format!("A release has at most {ASSETS_MAX} assets.");
    Error::invalid(RESOURCE, "", Code::Custom(message))
}

#[cfg(test)]
mod tests {
    use super::normalize;

    #[test]
    fn normalize_replaces_other_characters() {
        for (name, normalized) in [
            ("tool-1.0_x86~64+b@c.tar.gz", "tool-1.0_x86~64+b@c.tar.gz"),
            ("my tool (1).zip", "my.tool.1.zip"),
            ("a/../../b", "a.b"),
            ("..hidden", "hidden"),
            ("ü", ""),
        ] {
            assert_eq!(normalize(name), normalized);
        }
    }
}
