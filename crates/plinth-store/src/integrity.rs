//! The integrity check of the database: every page, and every foreign key.

use super::{Connection, DbError, Snapshot, dump};
use plinth_base::error::{Error, Result};

/// More problems than this add nothing.
const PROBLEMS_MAX: i64 = 100;
/// Foreign keys, and for each a statement that counts the rows which reference a missing row.
const FOREIGN_KEYS: &str = "select f.conname::text, format('select count(*) from %s c where %s and not exists \
    (select 1 from %s p where %s)', f.conrelid::regclass, \
    (select string_agg(format('c.%I is not null', a.attname), ' and ') from unnest(f.conkey) k \
       join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k), \
    f.confrelid::regclass, \
    (select string_agg(format('p.%I = c.%I', pa.attname, ca.attname), ' and ') \
       from unnest(f.conkey, f.confkey) as k (c, p) \
       join pg_attribute ca on ca.attrelid = f.conrelid and ca.attnum = k.c \
       join pg_attribute pa on pa.attrelid = f.confrelid and pa.attnum = k.p)) \
    from pg_constraint f where f.contype = 'f' and f.connamespace = current_schema()::regnamespace";

impl Snapshot {
    /// One sentence per problem. Reads everything.
    pub async fn check_integrity(&mut self) -> Result<Vec<String>> {
        let checked = match self.db() {
            Connection::Sqlite(connection) => check_sqlite(connection),
            Connection::Postgres(client) => check_postgres(client.object()).await,
        };
        match checked.map_err(Error::from) {
            Ok(problems) => Ok(problems),
            Err(error) => match DbError::damage(&error) {
                Some(why) => Ok(vec![why.to_owned()]),
                None => Err(error),
            },
        }
    }
}

fn check_sqlite(connection: &rusqlite::Connection) -> Result<Vec<String>, DbError> {
    let mut problems = Vec::new();
    let mut statement = connection.prepare(&format!("pragma integrity_check({PROBLEMS_MAX})"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let text: String = row.get(0)?;
        problems.extend((text != "ok").then_some(text));
    }
    let keys = "select \"table\", coalesce(rowid, 0), parent from pragma_foreign_key_check limit 100";
    let mut statement = connection.prepare(keys)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (table, id, parent): (String, i64, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        problems.push(format!("row {id} of {table} names a row of {parent} that is not there"));
    }
    Ok(problems)
}

async fn check_postgres(client: &tokio_postgres::Client) -> Result<Vec<String>, DbError> {
    // The server checks every page and value that it reads.
    dump::read_all(client).await?;
    let mut problems = Vec::new();
    for key in client.query(FOREIGN_KEYS, &[]).await? {
        let (name, count): (String, String) = (key.try_get(0)?, key.try_get(1)?);
        let strays: i64 = client.query_one(&count, &[]).await?.try_get(0)?;
        if strays > 0 {
            problems.push(format!("{strays} rows break the foreign key {name}"));
        }
    }
    Ok(problems)
}
