//! The tables of a PostgreSQL database as files, in the text form of COPY.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::{SinkExt, TryStreamExt};
use serde::{Deserialize, Serialize};

use super::{DbError, migrations, node};
use plinth_base::error::{Error, Result};

/// Reports the bytes that were copied so far.
pub type Progress<'a> = &'a mut (dyn FnMut(u64) + Send);

const PIECE_SIZE: usize = 256 * 1024;
/// Filled by the migrations, or about transactions of one server.
const NOT_COPIED: [&str; 4] = ["schema_version", "revocation", "change", "change_deletion"];

/// Tables, each after those that it references, and the state of their sequences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tables {
    tables: Vec<Table>,
    sequences: Vec<Sequence>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Table {
    name: String,
    columns: Vec<String>,
    file: PathBuf,
}

/// The next id of a table. Ids are never used twice, so the largest in use is not enough.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Sequence {
    table: String,
    column: String,
    last_value: i64,
    is_called: bool,
}

const COLUMNS: &str = "select c.relname::text, a.attname::text from pg_class c \
    join pg_attribute a on a.attrelid = c.oid \
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped \
    order by c.relname, a.attnum";
const REFERENCES: &str = "select c.relname::text, p.relname::text from pg_constraint f \
    join pg_class c on c.oid = f.conrelid join pg_class p on p.oid = f.confrelid \
    where f.contype = 'f' and c.relnamespace = current_schema()::regnamespace and c.oid <> p.oid";
const SEQUENCES: &str = "select c.relname::text, a.attname::text, pg_get_serial_sequence(c.relname, a.attname) \
    from pg_class c join pg_attribute a on a.attrelid = c.oid \
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attidentity <> '' \
    order by c.relname";

/// Writes every table that the transaction of `client` sees.
pub async fn write(
    client: &tokio_postgres::Client,
    directory: &Path,
    below: &str,
    progress: Progress<'_>,
) -> Result<(Tables, Vec<PathBuf>)> {
    std::fs::DirBuilder::new().mode(0o700).create(directory.join(below))?;
    let tables = list(client, below).await.map_err(DbError::from)?;
    let mut written = 0;
    for table in &tables {
        let sql = format!("copy (select {} from {}) to stdout", quoted(&table.columns), quote(&table.name));
        let mut out = BufWriter::new(File::create_new(directory.join(&table.file))?);
        let mut rows = std::pin::pin!(client.copy_out(&sql).await.map_err(DbError::from)?);
        while let Some(piece) = rows.try_next().await.map_err(DbError::from)? {
            out.write_all(&piece)?;
            written += piece.len() as u64;
            progress(written);
        }
        out.into_inner().map_err(|error| Error::Internal(error.into_error().into()))?.sync_all()?;
    }
    // Read last: a sequence that is ahead of its rows does no harm.
    let sequences = sequences(client).await.map_err(DbError::from)?;
    let files = tables.iter().map(|table| table.file.clone()).collect();
    Ok((Tables { tables, sequences }, files))
}

/// Reads every row of every table.
pub async fn read_all(client: &tokio_postgres::Client) -> Result<(), DbError> {
    for table in list(client, "").await? {
        let sql = format!("copy {} to stdout", quote(&table.name));
        let mut rows = std::pin::pin!(client.copy_out(&sql).await?);
        while rows.try_next().await?.is_some() {}
    }
    Ok(())
}

/// All tables, each after those that it references.
pub async fn table_names(client: &tokio_postgres::Client) -> Result<Vec<String>, DbError> {
    Ok(list(client, "").await?.into_iter().map(|table| table.name).collect())
}

/// Tables with ids that the database assigns, and the columns of these.
pub async fn identity_columns(client: &tokio_postgres::Client) -> Result<Vec<(String, String)>, DbError> {
    let rows = client.query(SEQUENCES, &[]).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

async fn list(client: &tokio_postgres::Client, below: &str) -> Result<Vec<Table>, tokio_postgres::Error> {
    let mut columns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in client.query(COLUMNS, &[]).await? {
        columns.entry(row.try_get(0)?).or_default().push(row.try_get(1)?);
    }
    columns.retain(|table, _| !NOT_COPIED.contains(&table.as_str()));
    let mut parents: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in client.query(REFERENCES, &[]).await? {
        parents.entry(row.try_get(0)?).or_default().insert(row.try_get(1)?);
    }
    let mut tables: Vec<Table> = Vec::with_capacity(columns.len());
    while !columns.is_empty() {
        let is_free =
            |name: &str| parents.get(name).is_none_or(|parents| parents.iter().all(|p| !columns.contains_key(p)));
        // No tables reference each other in a cycle; if some did, this would take any, and loading would fail.
        let next = columns.keys().find(|name| is_free(name)).or_else(|| columns.keys().next()).cloned();
        let Some((name, columns)) = next.and_then(|name| columns.remove_entry(&name)) else { break };
        let file = Path::new(below).join(format!("{name}.copy"));
        tables.push(Table { name, columns, file });
    }
    Ok(tables)
}

async fn sequences(client: &tokio_postgres::Client) -> Result<Vec<Sequence>, tokio_postgres::Error> {
    let mut sequences = Vec::new();
    for row in client.query(SEQUENCES, &[]).await? {
        let (table, column, sequence): (String, String, String) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let state = client.query_one(&format!("select last_value, is_called from {sequence}"), &[]).await?;
        sequences.push(Sequence { table, column, last_value: state.try_get(0)?, is_called: state.try_get(1)? });
    }
    Ok(sequences)
}

/// Creates the schema and fills it, in one transaction.
pub async fn read(
    client: &mut tokio_postgres::Client,
    schema_version: i64,
    tables: &Tables,
    directory: &Path,
    progress: Progress<'_>,
) -> Result<()> {
    client
        .batch_execute("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set default_transaction_read_only = off")
        .await
        .map_err(DbError::from)?;
    let tx = client.transaction().await.map_err(DbError::from)?;
    migrations::create_postgres(&tx, schema_version).await?;
    let mut done = 0;
    for table in &tables.tables {
        let sql = format!("copy {} ({}) from stdin", quote(&table.name), quoted(&table.columns));
        let mut sink = std::pin::pin!(tx.copy_in::<_, Bytes>(&sql).await.map_err(DbError::from)?);
        let mut file = BufReader::new(File::open(directory.join(&table.file))?);
        loop {
            let mut piece = vec![0; PIECE_SIZE];
            let count = file.read(&mut piece)?;
            if count == 0 {
                break;
            }
            piece.truncate(count);
            sink.send(piece.into()).await.map_err(DbError::from)?;
            done += count as u64;
            progress(done);
        }
        sink.finish().await.map_err(DbError::from)?;
    }
    let finish = async {
        for Sequence { table, column, last_value, is_called } in &tables.sequences {
            let sql = "select setval(pg_get_serial_sequence($1, $2), $3, $4)";
            tx.execute(sql, &[table, column, last_value, is_called]).await?;
        }
        // The repositories will be in another directory.
        tx.execute("delete from setting where name = $1", &[&node::SETTING]).await?;
        tx.commit().await
    };
    Ok(finish.await.map_err(DbError::from)?)
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| quote(name)).collect::<Vec<_>>().join(", ")
}

pub fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
