//! Statements on one connection, compiled once and bound by number.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::Shared;
use crate::state::InvalidationScope;
use crate::{DbError, FromRow, Generations, Row, Value};

/// Readers kept open between requests; more may exist for a moment.
const IDLE_READERS_MAX: usize = 32;
/// How statements end that ask for the id of the row they insert.
const RETURNING_ID: &str = " returning id";

/// An open connection.
pub struct Opened {
    connection: rusqlite::Connection,
    /// By where the text of a statement stands in the program, which is where it stays.
    known: HashMap<(usize, usize), Known>,
}

impl Opened {
    pub fn new(connection: rusqlite::Connection) -> Self {
        Self { connection, known: HashMap::new() }
    }
}

/// A connection of the pool, to which it goes back if it is for reading.
pub struct Pooled {
    opened: Option<Opened>,
    /// None for a connection that belongs to no engine.
    home: Option<Arc<Shared>>,
    role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Reader,
    Writer,
}

impl Pooled {
    pub(super) fn new(opened: Opened, home: Arc<Shared>, role: Role) -> Self {
        Self { opened: Some(opened), home: Some(home), role }
    }

    /// A connection for reading that is closed when it is dropped.
    pub(super) fn alone(connection: rusqlite::Connection) -> Self {
        Self { opened: Some(Opened::new(connection)), home: None, role: Role::Reader }
    }

    pub fn generations_inside(&self) -> Option<Generations> {
        let home = self.home.as_ref().filter(|_| self.role == Role::Writer)?;
        Some(home.watch.generations_inside())
    }

    pub fn optional<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Option<R>, DbError> {
        if let Some(insert) = sql.strip_suffix(RETURNING_ID) {
            return self.insert(insert, params);
        }
        self.run(sql, params, |statement| {
            let mut rows = statement.raw_query();
            rows.next()?.map(|row| R::from_row(&Row::Sqlite(row))).transpose()
        })
    }

    /// SQLite knows the row that it has just inserted; to return it, it would fill a table first.
    fn insert<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Option<R>, DbError> {
        debug_assert!(!sql.contains("on conflict"), "an insert that may insert nothing has no id to tell");
        self.execute(sql, params)?;
        R::from_row(&Row::Inserted(self.last_insert_rowid())).map(Some)
    }

    pub fn all<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<R>, DbError> {
        self.run(sql, params, |statement| {
            let mut rows = statement.raw_query();
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(R::from_row(&Row::Sqlite(row))?);
            }
            Ok(found)
        })
    }

    pub fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, DbError> {
        self.run(sql, params, |statement| Ok(statement.raw_execute()? as u64))
    }

    fn run<T>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        take: impl FnOnce(&mut rusqlite::Statement<'_>) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        let Self { opened, home, role } = self;
        let Opened { connection, known } = opened.as_mut().expect("a connection is only taken when dropped");
        let mut statement = connection.prepare_cached(sql)?;
        let known = known.entry((sql.as_ptr().addr(), sql.len())).or_insert_with(|| Known::new(sql, &statement));
        if let Some(home) = home.as_ref().filter(|_| *role == Role::Writer) {
            home.watch.note(known.concern);
        }
        known.bind(&mut statement, params)?;
        take(&mut statement)
    }

    fn opened(&mut self) -> &mut Opened {
        self.opened.as_mut().expect("a connection is only taken when dropped")
    }
}

impl Deref for Pooled {
    type Target = rusqlite::Connection;

    fn deref(&self) -> &rusqlite::Connection {
        &self.opened.as_ref().expect("a connection is only taken when dropped").connection
    }
}

impl DerefMut for Pooled {
    fn deref_mut(&mut self) -> &mut rusqlite::Connection {
        &mut self.opened().connection
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        let (Some(opened), Some(home)) = (self.opened.take(), &self.home) else { return };
        let mut idle = home.idle_readers.lock();
        if self.role == Role::Reader && idle.len() < IDLE_READERS_MAX {
            idle.push(opened);
        }
    }
}

/// What is found out about a statement once.
struct Known {
    /// Which value belongs to which place. To SQLite `$2` is a name like any other, numbered by where it first stands;
    /// here it means the second value. Looking the names up takes longer than binding the values.
    order: Box<[usize]>,
    concern: InvalidationScope,
}

impl Known {
    fn new(sql: &str, statement: &rusqlite::Statement<'_>) -> Self {
        Self { order: order_of(statement), concern: InvalidationScope::of(sql) }
    }

    fn bind(&self, statement: &mut rusqlite::Statement<'_>, params: &[Value<'_>]) -> Result<(), DbError> {
        for (index, place) in self.order.iter().enumerate() {
            let value = params.get(*place);
            let value =
                value.ok_or_else(|| DbError::Fault("a statement names a value that it was not given".into()))?;
            statement.raw_bind_parameter(index + 1, value)?;
        }
        Ok(())
    }
}

fn order_of(statement: &rusqlite::Statement<'_>) -> Box<[usize]> {
    let place = |index| {
        let number = statement.parameter_name(index).and_then(|name| name[1..].parse::<usize>().ok());
        // A place that nobody can have a value for.
        number.and_then(|number| number.checked_sub(1)).unwrap_or(usize::MAX)
    };
    (1..=statement.parameter_count()).map(place).collect()
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;
    use crate::params;
    use crate::sqlite::{Durability, Engine};

    fn opened() -> (tempfile::TempDir, Engine) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let engine = Engine::open(&folder.path().join("store"), Durability::None, Arc::default())
            .expect("a store can be opened");
        (folder, engine)
    }

    #[test]
    fn a_statement_is_compiled_once() {
        let (_folder, engine) = opened();
        let reader = engine.reader().expect("it can be read");
        let sql = "select u.login from token t left join account u on u.id = t.user_id \
                   where t.hash = $1 and t.ended_at is null";
        let mut statement = reader.prepare(sql).expect("the statement is right");
        for hash in [[1_u8; 32], [2; 32]] {
            Known::new(sql, &statement).bind(&mut statement, params![hash]).expect("it has one value");
            assert!(statement.raw_query().next().expect("it runs").is_none());
        }
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
    }

    #[test]
    fn values_are_bound_by_number_wherever_they_stand() {
        let (_folder, engine) = opened();
        let mut reader = engine.reader().expect("it can be read");
        for _ in 0..2 {
            let sql = "select $2 || $1 || $2, $3";
            let found = reader.optional::<(String, i64)>(sql, params!["a", "b", 3_i64]).expect("it runs");
            assert_eq!(found, Some(("bab".to_owned(), 3)));
        }
        assert!(reader.optional::<(String,)>("select $1 || $2", params!["a"]).is_err());
    }
}
