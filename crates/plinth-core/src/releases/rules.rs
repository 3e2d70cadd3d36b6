//! Validation of releases.

use plinth_base::error::{Code, Error, FieldError, Result};
use plinth_git::RefName;

use crate::refs::rules;

const RESOURCE: &str = "Release";
const NAME_LENGTH_MAX: usize = 255;
/// Characters of the text, as on GitHub.
const BODY_LENGTH_MAX: usize = 125_000;
const TARGET_LENGTH_MAX: usize = 255;

/// What a release will have.
pub struct Texts<'a> {
    pub tag_name: &'a str,
    pub target: &'a str,
    pub name: Option<&'a str>,
    pub body: Option<&'a str>,
}

/// Reports every invalid field, and returns the ref of the tag.
pub fn check(texts: &Texts<'_>) -> Result<RefName> {
    let mut invalid = Vec::new();
    let tag = RefName::parse(&format!("refs/tags/{}", texts.tag_name)).ok();
    let tag = tag.filter(|tag| !rules::is_ambiguous(tag));
    if tag.is_none() {
        let message = "tag_name is not a valid tag".to_owned();
        invalid.push(FieldError::new(RESOURCE, "tag_name", Code::Custom(message)));
    }
    for (field, text, length_max) in [
        ("target_commitish", Some(texts.target), TARGET_LENGTH_MAX),
        ("name", texts.name, NAME_LENGTH_MAX),
        ("body", texts.body, BODY_LENGTH_MAX),
    ] {
        let text = text.unwrap_or_default();
        if text.chars().count() > length_max {
            let message = format!("{field} is too long (maximum is {length_max} characters)");
            invalid.push(FieldError::new(RESOURCE, field, Code::Custom(message)));
        } else if text.contains('\0') {
            invalid.push(FieldError::new(RESOURCE, field, Code::Invalid));
        }
    }
    match tag {
        Some(tag) if invalid.is_empty() => Ok(tag),
        Some(_) | None => Err(Error::Invalid(invalid)),
    }
}

pub fn tag_exists() -> Error {
    Error::invalid(RESOURCE, "tag_name", Code::AlreadyExists)
}

pub fn missing_tag(tag: &str) -> Error {
    Error::unprocessable(format!("there is no tag {tag:?}"))
}

pub fn bad_target() -> Error {
    Error::invalid(RESOURCE, "target_commitish", Code::Invalid)
}

pub fn empty_repository() -> Error {
    Error::unprocessable("Repository is empty.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_reports_every_invalid_field() {
        let good = Texts { tag_name: "v1.0", target: "main", name: Some("One"), body: None };
        assert_eq!(check(&good).expect("valid").as_str(), "refs/tags/v1.0");
        let (name, body) = ("x".repeat(256), "x".repeat(125_001));
        let bad = Texts { tag_name: "a..b", target: "a\0", name: Some(&name), body: Some(&body) };
        let Err(Error::Invalid(fields)) = check(&bad) else { panic!("not valid") };
        let fields: Vec<&str> = fields.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["tag_name", "target_commitish", "name", "body"]);
        for tag_name in ["", "-x", "refs/tags/x", "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3"] {
            assert!(check(&Texts { tag_name, target: "main", name: None, body: None }).is_err(), "{tag_name}");
        }
    }
}
