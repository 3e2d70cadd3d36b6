//! Backups: a snapshot of the store, copied while the service runs.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::dump::{self, Progress, Tables};
use super::{Connection, DbError, Location, Node, Store, node, postgres, sqlite};
use plinth_base::error::{Error, Result};

/// The copy of an embedded store.
const SQLITE_FILE: &str = "plinth.db";
/// The directory of the tables of a PostgreSQL database.
const TABLES: &str = "database";
const PAGES_PER_STEP: i32 = 2048;

/// A read transaction: it does not see later commits, and does not block them.
pub struct Snapshot {
    db: Connection,
}

/// What a copy of the database consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dump {
    pub engine: String,
    pub schema_version: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<Tables>,
}

impl Dump {
    /// The file of an embedded store.
    pub fn sqlite_file(&self) -> Option<&'static Path> {
        self.tables.is_none().then_some(Path::new(SQLITE_FILE))
    }

    /// Removes the files of tables, after they were restored into a database.
    pub fn remove_files(&self, directory: &Path) -> Result<()> {
        Ok(std::fs::remove_dir_all(directory.join(TABLES))?)
    }
}

impl Snapshot {
    /// The snapshot is of the time of this call. The schema is not migrated; nothing is created.
    pub async fn open(location: &Location) -> Result<Self> {
        let db = match location {
            Location::Sqlite { file, .. } => Connection::Sqlite(sqlite::snapshot(file)?),
            Location::Postgres { url, epoch_file, .. } => {
                let target = postgres::Target::parse(url, epoch_file.as_deref())?;
                Connection::Postgres(postgres::Engine::open_one(target)?.snapshot().await?)
            }
        };
        Ok(Self { db })
    }

    /// A copy of an embedded store that nobody uses.
    pub fn of_file(file: &Path) -> Result<Self> {
        Ok(Self { db: Connection::Sqlite(sqlite::immutable(file)?) })
    }

    pub fn db(&mut self) -> &mut Connection {
        &mut self.db
    }

    /// The node that has the repositories of a PostgreSQL database.
    pub async fn node(&mut self) -> Result<Option<Node>> {
        Ok(node::find(&mut self.db).await?)
    }

    /// Copies an embedded store into its file below `directory`, without waiting for the disk.
    pub fn copy_unsynced(&self, directory: &Path) -> Result<()> {
        match &self.db {
            Connection::Sqlite(source) => copy_pages(source, &directory.join(SQLITE_FILE), &mut |_| {}),
            Connection::Postgres(_) => Err(Error::internal("only an embedded store is a file")),
        }
    }

    /// Copies everything into files below `directory`, and returns what they are.
    pub async fn write_to(&mut self, directory: &Path, progress: Progress<'_>) -> Result<(Dump, Vec<PathBuf>)> {
        let (schema_version,) = self.db.one::<(i64,)>("select max(version) from schema_version", &[]).await?;
        match &mut self.db {
            Connection::Sqlite(source) => {
                let file = PathBuf::from(SQLITE_FILE);
                copy_pages_durably(source, &directory.join(&file), progress)?;
                Ok((Dump { engine: "SQLite".into(), schema_version, tables: None }, vec![file]))
            }
            Connection::Postgres(client) => {
                let (tables, files) = dump::write(client.object(), directory, TABLES, progress).await?;
                Ok((Dump { engine: "PostgreSQL".into(), schema_version, tables: Some(tables) }, files))
            }
        }
    }
}

/// Every page, as [`copy_pages`], durably.
fn copy_pages_durably(source: &rusqlite::Connection, file: &Path, progress: Progress<'_>) -> Result<()> {
    copy_pages(source, file, progress)?;
    Ok(std::fs::File::open(file)?.sync_all()?)
}

/// Every page as the read transaction of `source` sees it. Because the transaction lasts from the first page to the
/// last, no commit makes SQLite start again; the write-ahead log only grows meanwhile.
fn copy_pages(source: &rusqlite::Connection, file: &Path, progress: Progress<'_>) -> Result<()> {
    use rusqlite::backup::{Backup, StepResult};
    let copy = |progress: Progress<'_>| -> Result<(), rusqlite::Error> {
        let page_size: u32 = source.query_row("pragma page_size", [], |row| row.get(0))?;
        let mut target = rusqlite::Connection::open(file)?;
        // It is synced once, when it is complete.
        target.pragma_update(None, "synchronous", "OFF")?;
        let backup = Backup::new(source, &mut target)?;
        while backup.step(PAGES_PER_STEP)? != StepResult::Done {
            let counts = backup.progress();
            let done = u64::try_from(counts.pagecount - counts.remaining).unwrap_or_default();
            progress(done * u64::from(page_size));
        }
        Ok(())
    };
    Ok(copy(progress).map_err(DbError::from)?)
}

/// Rejects a file that is not a complete store of this schema.
pub fn check_copy(file: &Path, schema_version: i64) -> Result<()> {
    let broken = |why: &dyn std::fmt::Display| Error::BadRequest(format!("{} is not whole: {why}", file.display()));
    let read = || -> Result<(i64, String, i64), DbError> {
        let connection = sqlite::immutable(file)?;
        let version = connection.query_row("select max(version) from schema_version", [], |row| row.get(0))?;
        let integrity = connection.query_row("pragma integrity_check(1)", [], |row| row.get(0))?;
        let strays = connection.query_row("select count(*) from pragma_foreign_key_check", [], |row| row.get(0))?;
        Ok((version, integrity, strays))
    };
    match read() {
        Ok((_, integrity, _)) if integrity != "ok" => Err(broken(&integrity)),
        Ok((_, _, strays)) if strays > 0 => Err(broken(&format_args!("{strays} rows name rows that are not there"))),
        Ok((version, _, _)) if version != schema_version => Err(broken(&format_args!("its schema is {version}"))),
        Ok(_) => Ok(()),
        Err(error) => Err(broken(&error)),
    }
}

/// Fills an empty PostgreSQL database, in one transaction.
pub async fn restore_postgres(url: &str, dump: &Dump, directory: &Path, progress: Progress<'_>) -> Result<()> {
    let tables = dump.tables.as_ref().ok_or_else(|| Error::BadRequest("the backup has no tables".into()))?;
    let location = Location::Postgres { url: url.to_owned(), connections_max: 1, epoch_file: None };
    if Store::schema(&location).await? != super::Schema::Absent {
        return Err(Error::BadRequest("the database has tables already; restore into an empty one".into()));
    }
    let (mut client, _driving) = postgres::connect(url).await?;
    dump::read(&mut client, dump.schema_version, tables, directory, progress).await
}
