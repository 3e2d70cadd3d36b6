//! The rows of an embedded store as JSON, and a store made from them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::{DbError, migrations, sqlite};
use plinth_base::error::{Error, Result};

/// Bytes are objects with this key, since JSON has no type for them.
const BYTES: &str = "base64";
/// The last id of each table. Ids are never used twice, so the largest in use is not enough.
const SEQUENCES: &str = "sqlite_sequence";
/// The version is not among the rows, and the database has tables of its own.
const TABLES: &str = "select name from sqlite_schema where type = 'table' and name <> 'schema_version' \
                      and (name not like 'sqlite%' or name = 'sqlite_sequence')";

/// Every row of every table, by the names of tables and columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rows {
    pub schema_version: i64,
    pub tables: BTreeMap<String, Vec<Map<String, Json>>>,
}

impl Rows {
    /// Reads a copy of a store that nobody writes to.
    pub fn read(file: &Path) -> Result<Self> {
        let connection = sqlite::immutable(file)?;
        let version = connection.query_row("select max(version) from schema_version", [], |row| row.get(0));
        let schema_version = version.map_err(DbError::from)?;
        let mut tables = BTreeMap::new();
        for name in tables_of(&connection).map_err(DbError::from)? {
            let rows = read_table(&connection, &name).map_err(DbError::from)?;
            tables.insert(name, rows);
        }
        Ok(Self { schema_version, tables })
    }

    /// Creates a store with these rows. They are of this or of an older version; the store is migrated when it is opened.
    pub fn write(&self, file: &Path) -> Result<()> {
        let mut connection = Connection::open(file).map_err(DbError::from)?;
        connection.pragma_update(None, "synchronous", "OFF").map_err(DbError::from)?;
        connection.pragma_update(None, "foreign_keys", false).map_err(DbError::from)?;
        migrations::create_sqlite(&mut connection, self.schema_version)?;
        let tx = connection.transaction().map_err(DbError::from)?;
        let known = tables_of(&tx).map_err(DbError::from)?;
        if let Some(unknown) = self.tables.keys().find(|table| !known.contains(*table)) {
            return Err(invalid(format_args!("there is no table {unknown:?}")));
        }
        for (table, rows) in self.tables.iter().filter(|(table, _)| *table != SEQUENCES) {
            write_table(&tx, table, rows)?;
        }
        if let Some(rows) = self.tables.get(SEQUENCES) {
            // The rows above have set them already.
            tx.execute("delete from sqlite_sequence", []).map_err(DbError::from)?;
            write_table(&tx, SEQUENCES, rows)?;
        }
        let strays = tx.query_row("select count(*) from pragma_foreign_key_check", [], |row| row.get::<_, i64>(0));
        match strays.map_err(DbError::from)? {
            0 => Ok(tx.commit().map_err(DbError::from)?),
            strays => Err(invalid(format_args!("{strays} rows name rows that are not there"))),
        }
    }
}

fn tables_of(connection: &Connection) -> Result<BTreeSet<String>, rusqlite::Error> {
    connection.prepare(TABLES)?.query_map([], |row| row.get(0))?.collect()
}

fn read_table(connection: &Connection, table: &str) -> Result<Vec<Map<String, Json>>, rusqlite::Error> {
    let mut statement = connection.prepare(&format!("select * from {}", quote(table)))?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let rows = statement.query_map([], |row| {
        let values = columns.iter().enumerate().map(|(index, column)| Ok((column.clone(), json(row.get_ref(index)?)?)));
        values.collect()
    })?;
    rows.collect()
}

fn write_table(connection: &Connection, table: &str, rows: &[Map<String, Json>]) -> Result<()> {
    let columns = columns_of(connection, table).map_err(DbError::from)?;
    for row in rows {
        if let Some(unknown) = row.keys().find(|name| !columns.contains(*name)) {
            return Err(invalid(format_args!("the table {table:?} has no column {unknown:?}")));
        }
        let names: Vec<String> = row.keys().map(|name| quote(name)).collect();
        let marks = vec!["?"; names.len()].join(", ");
        let sql = format!("insert into {} ({}) values ({marks})", quote(table), names.join(", "));
        let values = row.values().map(|value| sql_value(value).map_err(|why| invalid(format_args!("{table}: {why}"))));
        let values = values.collect::<Result<Vec<Value>>>()?;
        let inserted = connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.execute(rusqlite::params_from_iter(values)));
        // A row that the schema does not accept is the mistake of whoever has written it.
        inserted.map_err(|error| invalid(format_args!("a row of {table:?}: {error}")))?;
    }
    Ok(())
}

fn columns_of(connection: &Connection, table: &str) -> Result<BTreeSet<String>, rusqlite::Error> {
    connection.prepare("select name from pragma_table_info(?1)")?.query_map([table], |row| row.get(0))?.collect()
}

fn json(value: ValueRef<'_>) -> Result<Json, rusqlite::Error> {
    Ok(match value {
        ValueRef::Null => Json::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(_) => value.as_str()?.into(),
        ValueRef::Blob(bytes) => Json::Object(Map::from_iter([(BYTES.to_owned(), STANDARD.encode(bytes).into())])),
    })
}

fn sql_value(value: &Json) -> Result<Value, String> {
    let unknown = || format!("{value} is no value of a column");
    match value {
        Json::Null => Ok(Value::Null),
        Json::Number(number) => {
            let integer = number.as_i64().map(Value::Integer);
            integer.or_else(|| number.as_f64().map(Value::Real)).ok_or_else(unknown)
        }
        Json::String(text) => Ok(Value::Text(text.clone())),
        Json::Object(object) => {
            let text = object.get(BYTES).and_then(Json::as_str).filter(|_| object.len() == 1).ok_or_else(unknown)?;
            STANDARD.decode(text).map(Value::Blob).map_err(|error| format!("{error} in {BYTES}"))
        }
        Json::Bool(_) | Json::Array(_) => Err(unknown()),
    }
}

fn invalid(message: std::fmt::Arguments<'_>) -> Error {
    Error::BadRequest(format!("the snapshot cannot be used: {message}"))
}

fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Durability, Location, Schema, Store};

    #[tokio::test]
    async fn rows_of_an_older_version_are_migrated() {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let file = directory.path().join("plinth.db");
        let account =
            json!({ "id": 7, "kind": "User", "login": "mona", "login_key": "mona", "created_at": 1, "updated_at": 2 });
        let rows: Rows =
            serde_json::from_value(json!({ "schema_version": 1, "tables": { "account": [account] } })).expect("rows");
        rows.write(&file).expect("the rows are accepted");
        let location = Location::Sqlite { file: file.clone(), durability: Durability::None };
        drop(Store::open(&location).await.expect("the store is migrated"));
        assert_eq!(Store::schema(&location).await.expect("there is a store"), Schema::Current);
        let read = Rows::read(&file).expect("the store is read");
        assert_eq!(read.tables["account"][0]["id"], 7);
        assert_eq!(read.tables["sqlite_sequence"][0], *json!({ "name": "account", "seq": 7 }).as_object().expect("it"));
    }

    #[test]
    fn values_keep_their_types() {
        for value in [
            Value::Null,
            Value::Integer(i64::MIN),
            Value::Real(1.0),
            Value::Text("\u{7f}\u{0}é".into()),
            Value::Blob(vec![0, 255]),
        ] {
            let text = json(ValueRef::from(&value)).expect("it has a form").to_string();
            let parsed = serde_json::from_str(&text).expect("it is JSON");
            assert_eq!(sql_value(&parsed), Ok(value), "{text}");
        }
        for wrong in [json!(true), json!([1]), json!({ "base64": "?" }), json!({ "base64": "", "more": 1 })] {
            assert!(sql_value(&wrong).is_err(), "{wrong}");
        }
    }
}
