//! Parsers of arguments that several commands take.

use std::io::Read;
use std::path::Path;

use plinth_base::error::{Error, Result};
use plinth_core::tokens::{Level, Secret};

/// A longer file is no secret.
const SECRET_FILE_BYTES_MAX: u64 = 64 * 1024;

/// Reads a secret from a file, or from standard input if the path is `-`. An argument would be visible to every process.
pub fn read_secret(path: Option<&Path>) -> Result<Option<Secret>> {
    let Some(path) = path else { return Ok(None) };
    let mut text = String::new();
    let read = match path == Path::new("-") {
        true => std::io::stdin().take(SECRET_FILE_BYTES_MAX).read_to_string(&mut text),
        false => std::fs::File::open(path).and_then(|file| file.take(SECRET_FILE_BYTES_MAX).read_to_string(&mut text)),
    };
    read.map_err(|error| Error::BadRequest(format!("{}: {error}", path.display())))?;
    Ok(Some(Secret::new(text.trim_end_matches(['\r', '\n']))))
}

/// Parses `name=level`.
pub fn parse_permission(text: &str) -> Result<(String, Level), String> {
    let (name, level) = text.split_once('=').ok_or("a permission is written name=level")?;
    let levels = [Level::Read, Level::Write, Level::Admin];
    let level = levels.into_iter().find(|known| known.as_str() == level).ok_or("a level is read, write or admin")?;
    Ok((name.to_owned(), level))
}
