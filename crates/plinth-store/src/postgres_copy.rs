//! Copies a PostgreSQL database into a new embedded store: all rows of all tables, as one snapshot has them.

use std::path::Path;

use futures_util::TryStreamExt;
use parking_lot::Mutex;
use rusqlite::Connection as Sqlite;
use rusqlite::types::Value;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::dump::{self, Progress};
use super::{Connection, DbError, Snapshot, migrations, node};
use plinth_base::error::{Error, Result};

/// Rows are written when they have about so many bytes.
const PIECE_SIZE: usize = 1 << 20;
/// What an integer counts for that.
const VALUE_SIZE: usize = 8;
/// Rows that belong to PostgreSQL and its servers.
const FORGET: &str = "delete from rate_limit_window; delete from setting where name = 'epoch'";

impl Snapshot {
    /// Creates an embedded store with the rows of this snapshot in a file that does not exist. Returns how many rows there
    /// are.
    pub async fn copy_to_sqlite(&mut self, file: &Path, progress: Progress<'_>) -> Result<u64> {
        let (version,) = self.db().one::<(i64,)>("select max(version) from schema_version", &[]).await?;
        let Connection::Postgres(client) = self.db() else {
            return Err(Error::internal("an embedded store is copied as a file"));
        };
        let source: &tokio_postgres::Client = client.object();
        let target = Mutex::new(create(file, version)?);
        let (mut copied, mut bytes) = (0, 0);
        for table in dump::table_names(source).await? {
            let mut note = |more: u64| {
                bytes += more;
                progress(bytes);
            };
            copied += copy_table(source, &target, &table, &mut note).await?;
        }
        for (table, column) in dump::identity_columns(source).await? {
            let sql = "select pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass)";
            let last = source.query_one(sql, &[&table, &column]).await.map_err(DbError::from)?;
            let last: Option<i64> = last.try_get(0).map_err(DbError::from)?;
            set_last_id(&target.lock(), &table, last.unwrap_or_default())?;
        }
        finish(target.into_inner())?;
        std::fs::File::open(file)?.sync_all()?;
        Ok(copied)
    }
}

/// A new file with the tables of a version, and a transaction.
fn create(file: &Path, version: i64) -> Result<Sqlite> {
    let mut target = Sqlite::open(file).map_err(DbError::from)?;
    // It is synced once, when it is complete.
    target.pragma_update(None, "synchronous", "OFF").map_err(DbError::from)?;
    target.pragma_update(None, "foreign_keys", false).map_err(DbError::from)?;
    migrations::create_sqlite(&mut target, version)?;
    target.execute_batch("begin").map_err(DbError::from)?;
    Ok(target)
}

fn finish(target: Sqlite) -> Result<(), DbError> {
    target.execute_batch(FORGET)?;
    target.execute("delete from setting where name = ?1", [node::SETTING])?;
    let strays: i64 = target.query_row("select count(*) from pragma_foreign_key_check", [], |row| row.get(0))?;
    if strays > 0 {
        return Err(DbError::Fault(format!("{strays} rows name rows that are not there").into()));
    }
    target.execute_batch("commit")?;
    target.close().map_err(|(_, error)| error.into())
}

async fn copy_table(
    source: &tokio_postgres::Client,
    target: &Mutex<Sqlite>,
    table: &str,
    note: &mut (dyn FnMut(u64) + Send),
) -> Result<u64> {
    let columns = columns_of(&target.lock(), table)?;
    let names = columns.iter().map(|name| dump::quote(name)).collect::<Vec<_>>().join(", ");
    let marks = vec!["?"; columns.len()].join(", ");
    let table = dump::quote(table);
    let insert = format!("insert into {table} ({names}) values ({marks})");
    let none: [&(dyn ToSql + Sync); 0] = [];
    let rows = source.query_raw(&format!("select {names} from {table}"), none).await.map_err(DbError::from)?;
    let mut rows = std::pin::pin!(rows);
    let (mut piece, mut size, mut copied) = (Vec::new(), 0, 0);
    loop {
        let row = rows.try_next().await.map_err(DbError::from)?;
        let is_last = row.is_none();
        if let Some(row) = row {
            let values = values_of(&row)?;
            size += values.iter().map(size_of_value).sum::<usize>();
            piece.push(values);
        }
        if is_last || size >= PIECE_SIZE {
            copied += write_rows(&target.lock(), &insert, std::mem::take(&mut piece))?;
            note(std::mem::take(&mut size) as u64);
        }
        if is_last {
            break;
        }
    }
    check_count(&target.lock(), &table, copied)?;
    Ok(copied)
}

fn columns_of(target: &Sqlite, table: &str) -> Result<Vec<String>, DbError> {
    let mut statement = target.prepare("select name from pragma_table_info(?1)")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

fn write_rows(target: &Sqlite, insert: &str, rows: Vec<Vec<Value>>) -> Result<u64, DbError> {
    let mut statement = target.prepare_cached(insert)?;
    let mut written = 0;
    for row in rows {
        written += statement.execute(rusqlite::params_from_iter(row))? as u64;
    }
    Ok(written)
}

/// The file has what was sent to it.
fn check_count(target: &Sqlite, table: &str, copied: u64) -> Result<()> {
    let sql = format!("select count(*) from {table}");
    let stored: i64 = target.query_row(&sql, [], |row| row.get(0)).map_err(DbError::from)?;
    if u64::try_from(stored).is_ok_and(|stored| stored == copied) {
        return Ok(());
    }
    Err(Error::internal(format!("{stored} of {copied} rows of {table} were stored")))
}

fn size_of_value(value: &Value) -> usize {
    match value {
        Value::Null | Value::Integer(_) | Value::Real(_) => VALUE_SIZE,
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
    }
}

fn values_of(row: &Row) -> Result<Vec<Value>, DbError> {
    let values = row.columns().iter().enumerate().map(|(index, column)| {
        let value = match *column.type_() {
            Type::INT8 => row.try_get::<_, Option<i64>>(index)?.map(Value::Integer),
            Type::TEXT => row.try_get::<_, Option<String>>(index)?.map(Value::Text),
            Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(index)?.map(Value::Blob),
            Type::BOOL => row.try_get::<_, Option<bool>>(index)?.map(|value| Value::Integer(value.into())),
            Type::FLOAT8 => row.try_get::<_, Option<f64>>(index)?.map(Value::Real),
            ref other => return Err(DbError::Fault(format!("a column has the type {other}").into())),
        };
        Ok(value.unwrap_or(Value::Null))
    });
    values.collect()
}

/// Ids are never used twice, so the largest in use is not enough.
fn set_last_id(target: &Sqlite, table: &str, last: i64) -> Result<(), DbError> {
    target.execute("delete from sqlite_sequence where name = ?1", [table])?;
    if last > 0 {
        target.execute("insert into sqlite_sequence (name, seq) values (?1, ?2)", (table, last))?;
    }
    Ok(())
}
