//! Names in a state file. They know their line, for error messages.

use serde_saphyr::Spanned;

use plinth_base::error::{Error, Result};

/// A name with its line in the file.
pub type Name = Spanned<String>;

/// An error about a value, with its line and field.
pub fn problem<T>(at: &Spanned<T>, field: &str, message: impl std::fmt::Display) -> Error {
    Error::BadRequest(format!("line {}, {field}: {message}", at.referenced.line()))
}

/// Splits `owner/name`.
pub fn split_full_name<'a>(name: &'a Name, field: &str) -> Result<(&'a str, &'a str)> {
    name.value.split_once('/').ok_or_else(|| problem(name, field, "a repository is written owner/name"))
}
