//! Copies an embedded store into an empty PostgreSQL database: all rows of all tables, in one transaction.

use std::fmt::Write as _;
use std::path::Path;

use bytes::Bytes;
use futures_util::SinkExt;
use parking_lot::Mutex;
use rusqlite::types::ValueRef;

use super::{DbError, Location, Schema, Store, dump, migrations, postgres, sqlite};
use plinth_base::error::{Error, Result};

/// Rows are sent when they have so many bytes. Each piece skips the rows before it.
const PIECE_SIZE: usize = 4 << 20;
const NO_TIMEOUTS: &str = "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; \
                           set default_transaction_read_only = off";
const TYPES: &str = "select a.attname::text, format_type(a.atttypid, null) from pg_attribute a \
    where a.attrelid = $1::text::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum";

/// Copies the store in `file`, which nobody may be using, and adds a row to `setting`. Returns how many rows there are.
pub async fn copy_to_postgres(file: &Path, url: &str, setting: (&str, &[u8])) -> Result<u64> {
    let source = sqlite::snapshot(file)?;
    let read = source.query_row("select max(version) from schema_version", [], |row| row.get(0));
    let version: i64 = read.map_err(DbError::from)?;
    let source = Mutex::new(source);
    let location = Location::Postgres { url: url.to_owned(), connections_max: 1, epoch_file: None };
    if Store::schema(&location).await? != Schema::Absent {
        return Err(Error::Conflict("the database has tables already; copy into an empty one".into()));
    }
    let (mut client, _driving) = postgres::connect(url).await?;
    client.batch_execute(NO_TIMEOUTS).await.map_err(DbError::from)?;
    let tx = client.transaction().await.map_err(DbError::from)?;
    migrations::create_postgres(&tx, version).await?;
    let mut copied = 0;
    for table in dump::table_names(tx.client()).await? {
        copied += copy_table(&source, &tx, &table).await?;
    }
    for (table, column) in dump::identity_columns(tx.client()).await? {
        let last = last_id(&source.lock(), &table)?;
        let sql = "select setval(pg_get_serial_sequence($1, $2), $3, $4)";
        tx.execute(sql, &[&table, &column, &last.max(1), &(last > 0)]).await.map_err(DbError::from)?;
    }
    let sql = "insert into setting (name, value) values ($1, $2)";
    tx.execute(sql, &[&setting.0, &setting.1]).await.map_err(DbError::from)?;
    tx.commit().await.map_err(DbError::from)?;
    Ok(copied)
}

async fn copy_table<C>(source: &Mutex<C>, tx: &tokio_postgres::Transaction<'_>, table: &str) -> Result<u64>
where
    C: std::ops::Deref<Target = rusqlite::Connection> + Send,
{
    let mut columns = Vec::new();
    for row in tx.query(TYPES, &[&table]).await.map_err(DbError::from)? {
        let (name, kind): (String, String) =
            (row.try_get(0).map_err(DbError::from)?, row.try_get(1).map_err(DbError::from)?);
        columns.push((dump::quote(&name), kind == "boolean"));
    }
    let names = columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let table = dump::quote(table);
    let sink = tx.copy_in::<_, Bytes>(&format!("copy {table} ({names}) from stdin")).await.map_err(DbError::from)?;
    let mut sink = std::pin::pin!(sink);
    let (mut after, mut copied) = (None, 0);
    loop {
        let (piece, count, last) = read_piece(&source.lock(), &table, &names, &columns, after)?;
        if count == 0 {
            break;
        }
        (after, copied) = (Some(last), copied + count);
        sink.send(piece.into()).await.map_err(DbError::from)?;
    }
    let stored = sink.finish().await.map_err(DbError::from)?;
    if stored != copied {
        return Err(Error::internal(format!("{stored} of {copied} rows of {table} were stored")));
    }
    Ok(copied)
}

/// Some rows in the text form of COPY, how many, and how many there were so far.
fn read_piece(
    source: &rusqlite::Connection,
    table: &str,
    names: &str,
    columns: &[(String, bool)],
    after: Option<u64>,
) -> Result<(Vec<u8>, u64, u64), DbError> {
    let offset = after.unwrap_or_default();
    let mut statement = source.prepare_cached(&format!("select {names} from {table} limit -1 offset {offset}"))?;
    let mut rows = statement.query([])?;
    let (mut text, mut count) = (String::new(), 0);
    while let Some(row) = rows.next()? {
        for (index, (_, is_boolean)) in columns.iter().enumerate() {
            if index > 0 {
                text.push('\t');
            }
            write_value(row.get_ref(index)?, *is_boolean, &mut text)?;
        }
        text.push('\n');
        count += 1;
        if text.len() >= PIECE_SIZE {
            break;
        }
    }
    Ok((text.into_bytes(), count, offset + count))
}

fn write_value(value: ValueRef<'_>, is_boolean: bool, out: &mut String) -> Result<(), DbError> {
    match value {
        ValueRef::Null => out.push_str("\\N"),
        ValueRef::Integer(value) if is_boolean => out.push(if value == 0 { 'f' } else { 't' }),
        ValueRef::Integer(value) => out.push_str(&value.to_string()),
        ValueRef::Real(value) => out.push_str(&value.to_string()),
        ValueRef::Blob(bytes) => {
            out.push_str("\\\\x");
            for byte in bytes {
                let _ = write!(out, "{byte:02x}");
            }
        }
        ValueRef::Text(bytes) => {
            let text = std::str::from_utf8(bytes).map_err(|error| DbError::Fault(error.into()))?;
            for letter in text.chars() {
                match letter {
                    '\\' => out.push_str("\\\\"),
                    '\t' => out.push_str("\\t"),
                    '\n' => out.push_str("\\n"),
                    '\r' => out.push_str("\\r"),
                    letter => out.push(letter),
                }
            }
        }
    }
    Ok(())
}

/// The last id of a table. Ids are never used twice, so the largest in use is not enough.
fn last_id(source: &rusqlite::Connection, table: &str) -> Result<i64, DbError> {
    let mut statement = source.prepare("select seq from sqlite_sequence where name = ?1")?;
    let mut rows = statement.query([table])?;
    Ok(rows.next()?.map(|row| row.get(0)).transpose()?.unwrap_or_default())
}
