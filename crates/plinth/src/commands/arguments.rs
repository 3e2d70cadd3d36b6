//! Parsers of arguments that several commands take.

use plinth_core::tokens::Level;

/// Parses `name=level`.
pub fn parse_permission(text: &str) -> Result<(String, Level), String> {
    let (name, level) = text.split_once('=').ok_or("a permission is written name=level")?;
    let levels = [Level::Read, Level::Write, Level::Admin];
    let level = levels.into_iter().find(|known| known.as_str() == level).ok_or("a level is read, write or admin")?;
    Ok((name.to_owned(), level))
}
