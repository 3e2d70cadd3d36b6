//! Validation of labels.

use plinth_base::error::{Code, Error, FieldError, Result};

use super::{LabelChange, NewLabel};

pub const RESOURCE: &str = "Label";
const NAME_CHARACTERS_MAX: usize = 50;
const DESCRIPTION_CHARACTERS_MAX: usize = 100;
/// The color of a label that is created without one, as on GitHub.
pub const DEFAULT_COLOR: &str = "ededed";

pub fn check_new(new: &NewLabel) -> Result<()> {
    let mut errors = Vec::new();
    check_name(&new.name, &mut errors);
    check_color(new.color.as_deref(), &mut errors);
    check_description(new.description.as_deref(), &mut errors);
    finish(errors)
}

pub fn check_change(change: &LabelChange) -> Result<()> {
    let mut errors = Vec::new();
    if let Some(name) = &change.new_name {
        check_name(name, &mut errors);
    }
    check_color(change.color.as_deref(), &mut errors);
    check_description(change.description.as_ref().and_then(|text| text.as_deref()), &mut errors);
    finish(errors)
}

fn check_name(name: &str, errors: &mut Vec<FieldError>) {
    if name.trim().is_empty() {
        errors.push(FieldError::new(RESOURCE, "name", Code::MissingField));
    } else if name.chars().count() > NAME_CHARACTERS_MAX {
        let message = format!("name is too long (maximum is {NAME_CHARACTERS_MAX} characters)");
        errors.push(FieldError::new(RESOURCE, "name", Code::Custom(message)));
    } else if name.contains(char::is_control) {
        errors.push(FieldError::new(RESOURCE, "name", Code::Invalid));
    }
}

fn check_color(color: Option<&str>, errors: &mut Vec<FieldError>) {
    let is_color = |text: &str| text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if color.is_some_and(|color| !is_color(color)) {
        errors.push(FieldError::new(RESOURCE, "color", Code::Invalid));
    }
}

fn check_description(text: Option<&str>, errors: &mut Vec<FieldError>) {
    let text = text.unwrap_or_default();
    if text.chars().count() > DESCRIPTION_CHARACTERS_MAX {
        let message = format!("description is too long (maximum is {DESCRIPTION_CHARACTERS_MAX} characters)");
        errors.push(FieldError::new(RESOURCE, "description", Code::Custom(message)));
    } else if text.contains('\0') {
        errors.push(FieldError::new(RESOURCE, "description", Code::Invalid));
    }
}

fn finish(errors: Vec<FieldError>) -> Result<()> {
    if errors.is_empty() { Ok(()) } else { Err(Error::Invalid(errors)) }
}

pub fn already_exists() -> Error {
    Error::invalid(RESOURCE, "name", Code::AlreadyExists)
}

/// Names of labels differ in more than case.
pub fn name_key(name: &str) -> String {
    name.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_reports_every_invalid_field() {
        let new = |name: &str, color: &str, description: &str| NewLabel {
            name: name.into(),
            color: Some(color.into()),
            description: Some(description.into()),
        };
        assert!(check_new(&new("bug \u{1f41b}", "D73a4A", "")).is_ok());
        assert!(check_new(&new(&"\u{e9}".repeat(50), "000000", &"\u{e9}".repeat(100))).is_ok());
        let invalid = check_new(&new(" ", "#fffff", &"x".repeat(101)));
        let Err(Error::Invalid(errors)) = invalid else { panic!("three invalid fields") };
        assert_eq!(
            errors.iter().map(|error| error.field.as_str()).collect::<Vec<_>>(),
            ["name", "color", "description"]
        );
        for (name, color) in [("a\nb", "000000"), (&*"x".repeat(51), "000000"), ("a", "fffff"), ("a", "gggggg")] {
            assert!(check_new(&new(name, color, "")).is_err(), "{name} {color}");
        }
    }
}
