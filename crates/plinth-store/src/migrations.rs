//! Schema migrations: each step has one text per database. A store of a newer version is not opened.

use super::DbError;
use plinth_base::error::{Error, Result};

struct Migration {
    sqlite: &'static str,
    postgres: &'static str,
}

macro_rules! migrations {
    ($($name:literal),* $(,)?) => {
        &[$(Migration {
            sqlite: include_str!(concat!("../migrations/sqlite/", $name, ".sql")),
            postgres: include_str!(concat!("../migrations/postgres/", $name, ".sql")),
        }),*]
    };
}

/// In order. A released step never changes.
const MIGRATIONS: &[Migration] = migrations![
    "0001_base",
    "0002_projects_and_issue_fields",
    "0003_device_codes",
    "0004_git_refs",
    "0006_pulls_and_comments",
    "0007_replies",
    "0008_attempted_versions",
    "0009_deleted_repositories",
    "0010_homepage",
    "0011_webhooks",
    "0012_merges",
    "0013_topics",
    "0014_statuses_releases",
    "0015_issues",
    "0016_resolved_threads",
    "0017_repository_statistics",
    "0018_project_items",
    "0019_authors_and_movers",
    "0020_event_ids",
    "0021_shared_packs",
    "0022_web_sessions",
    "0023_nodes",
    "0024_browser_codes_and_public_repositories",
    "0026_changes",
    "0027_deleted_review_comments",
    "0028_change_details"
];

/// Taken before migrating, so that two nodes that start at once migrate one after the other.
const POSTGRES_LOCK: &str = "select pg_advisory_xact_lock(7015348)";
/// A step over a large table may take longer than the timeout for requests.
const POSTGRES_NO_TIMEOUT: &str = "set local statement_timeout = 0";
const VERSION_TABLE: &str = "create table if not exists schema_version (version bigint not null)";

/// The schema version that this binary knows.
fn current() -> i64 {
    i64::try_from(MIGRATIONS.len()).expect("there are few migrations")
}

/// How the schema of a store compares with what this binary knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// There is no store yet.
    Absent,
    /// The next start migrates it.
    Older(i64),
    Current,
    /// Only a newer binary can use it.
    Newer(i64),
}

impl Schema {
    fn of(found: Option<i64>) -> Self {
        match found.unwrap_or_default() {
            0 => Schema::Absent,
            found if found < current() => Schema::Older(found),
            found if found > current() => Schema::Newer(found),
            _ => Schema::Current,
        }
    }
}

pub fn schema_sqlite(connection: &rusqlite::Connection) -> Result<Schema, DbError> {
    let table = "select count(*) from sqlite_schema where name = 'schema_version'";
    if connection.query_row(table, [], |row| row.get::<_, i64>(0))? == 0 {
        return Ok(Schema::Absent);
    }
    Ok(Schema::of(connection.query_row("select max(version) from schema_version", [], |row| row.get(0))?))
}

pub async fn schema_postgres(client: &tokio_postgres::Client) -> Result<Schema> {
    let read = async {
        let table = client.query_one("select to_regclass('schema_version') is not null", &[]).await?;
        if !table.try_get::<_, bool>(0)? {
            return Ok(None);
        }
        client.query_one("select max(version) from schema_version", &[]).await?.try_get(0)
    };
    let found: Result<Option<i64>, tokio_postgres::Error> = read.await;
    Ok(Schema::of(found.map_err(DbError::from)?))
}

pub fn migrate_sqlite(connection: &mut rusqlite::Connection) -> Result<()> {
    let migrate = |connection: &mut rusqlite::Connection| -> Result<Result<()>, rusqlite::Error> {
        let tx = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        tx.execute_batch(VERSION_TABLE)?;
        let found = tx.query_row("select coalesce(max(version), 0) from schema_version", [], |row| row.get(0))?;
        let steps = match missing(found) {
            Ok(steps) => steps,
            Err(error) => return Ok(Err(error)),
        };
        for step in steps {
            tx.execute_batch(step.sqlite)?;
        }
        if !steps.is_empty() {
            tx.execute("delete from schema_version", [])?;
            tx.execute("insert into schema_version (version) values (?1)", [current()])?;
        }
        tx.commit()?;
        Ok(Ok(()))
    };
    migrate(connection).map_err(DbError::from)?
}

pub async fn migrate_postgres(client: &mut tokio_postgres::Client) -> Result<()> {
    let tx = client.build_transaction().read_only(false).start().await.map_err(DbError::from)?;
    let found = async {
        tx.batch_execute(POSTGRES_NO_TIMEOUT).await?;
        tx.batch_execute(POSTGRES_LOCK).await?;
        tx.batch_execute(VERSION_TABLE).await?;
        tx.query_one("select coalesce(max(version), 0) from schema_version", &[]).await?.try_get(0)
    };
    let steps = missing(found.await.map_err(DbError::from)?)?;
    let migrate = async {
        for step in steps {
            tx.batch_execute(step.postgres).await?;
        }
        if !steps.is_empty() {
            tx.execute("delete from schema_version", &[]).await?;
            tx.execute("insert into schema_version (version) values ($1)", &[&current()]).await?;
        }
        tx.commit().await
    };
    Ok(migrate.await.map_err(DbError::from)?)
}

/// Creates the schema of a version in an empty file.
pub fn create_sqlite(connection: &mut rusqlite::Connection, version: i64) -> Result<()> {
    let steps = steps_to(version)?;
    let mut create = || -> Result<(), rusqlite::Error> {
        let tx = connection.transaction()?;
        tx.execute_batch(VERSION_TABLE)?;
        for step in steps {
            tx.execute_batch(step.sqlite)?;
        }
        tx.execute("insert into schema_version (version) values (?1)", [version])?;
        tx.commit()
    };
    Ok(create().map_err(DbError::from)?)
}

/// Creates the schema of a version in an empty database.
pub async fn create_postgres(tx: &tokio_postgres::Transaction<'_>, version: i64) -> Result<()> {
    let steps = steps_to(version)?;
    let create = async {
        tx.batch_execute(POSTGRES_LOCK).await?;
        tx.batch_execute(VERSION_TABLE).await?;
        for step in steps {
            tx.batch_execute(step.postgres).await?;
        }
        tx.execute("insert into schema_version (version) values ($1)", &[&version]).await
    };
    create.await.map_err(DbError::from)?;
    Ok(())
}

/// The steps of an empty store to a version.
fn steps_to(version: i64) -> Result<&'static [Migration]> {
    let steps = usize::try_from(version).ok().and_then(|version| MIGRATIONS.get(..version));
    steps.ok_or_else(|| Error::Conflict(format!("schema version {version} needs a newer plinth")))
}

/// The steps between the store's version and ours.
fn missing(found: i64) -> Result<&'static [Migration]> {
    usize::try_from(found).ok().and_then(|done| MIGRATIONS.get(done..)).ok_or_else(|| {
        Error::Conflict(format!(
            "the store has schema version {found}, but this plinth knows versions up to {}: use a newer plinth",
            current()
        ))
    })
}
