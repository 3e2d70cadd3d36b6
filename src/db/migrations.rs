//! Versioned schemas: each step has one text per database, and a store from a newer binary is refused.

use super::DbError;
use crate::error::{Error, Result};

struct Migration {
    sqlite: &'static str,
    postgres: &'static str,
}

macro_rules! migrations {
    ($($name:literal),* $(,)?) => {
        &[$(Migration {
            sqlite: include_str!(concat!("../../migrations/sqlite/", $name, ".sql")),
            postgres: include_str!(concat!("../../migrations/postgres/", $name, ".sql")),
        }),*]
    };
}

/// In order; a step that has been released is never changed.
const MIGRATIONS: &[Migration] = migrations![
    "0001_base",
    "0002_projects_and_issue_fields",
    "0003_device_codes",
    "0004_git_refs",
    "0006_pulls_and_comments",
    "0007_replies",
    "0008_attempted_versions"
];

/// Everyone who migrates takes this lock first, so that two nodes starting at once do it one after the other.
const POSTGRES_LOCK: &str = "select pg_advisory_xact_lock(7015348)";
const VERSION_TABLE: &str = "create table if not exists schema_version (version bigint not null)";

/// The schema version that this binary knows.
fn current() -> i64 {
    i64::try_from(MIGRATIONS.len()).expect("there are few migrations")
}

pub fn migrate_sqlite(connection: &mut rusqlite::Connection) -> Result<()> {
    let migrate = |connection: &mut rusqlite::Connection| -> Result<Result<()>, rusqlite::Error> {
        let tx = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        tx.execute_batch(VERSION_TABLE)?;
        let found = tx.query_row("select coalesce(max(version), 0) from schema_version", [], |row| row.get(0))?;
        let steps = match missing(found) {
            Ok(steps) => steps,
            Err(refusal) => return Ok(Err(refusal)),
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

/// The steps between the store's version and ours.
fn missing(found: i64) -> Result<&'static [Migration]> {
    usize::try_from(found).ok().and_then(|done| MIGRATIONS.get(done..)).ok_or_else(|| {
        Error::Conflict(format!(
            "the store has schema version {found}, but this plinth knows versions up to {}: use a newer plinth",
            current()
        ))
    })
}
