//! An SQLite database opened like the service's.

use std::path::Path;

use clap::ValueEnum;

/// SQLite's `synchronous` setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Synchronous {
    #[default]
    Full,
    Normal,
}

/// The word for a value on the command line.
pub fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().expect("no value is skipped").get_name().to_owned()
}

/// Opens a database with the service's settings and a table for [`super::Insert::Entry`].
pub fn open(file: &Path, synchronous: Synchronous) -> rusqlite::Result<rusqlite::Connection> {
    let connection = rusqlite::Connection::open(file)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", word(synchronous))?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.execute_batch("create table if not exists entry (id integer primary key, data blob not null)")?;
    Ok(connection)
}
