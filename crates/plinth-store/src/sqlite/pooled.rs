//! Statements on one connection, compiled once and bound by number.

use std::collections::{HashMap, HashSet};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::Shared;
use super::write_actions::WriteActions;
use crate::content_kinds::ContentKinds;
use crate::effect::Declared;
use crate::{DbError, DeferredUse, Dependency, Effect, FromRow, Generations, RightsFact, Row, Value};

/// Idle readers in the pool; more may exist while they are in use.
const IDLE_READERS_MAX: usize = 32;
/// The end of statements that return the id of the row they insert.
const RETURNING_ID: &str = " returning id";

/// An open connection.
pub struct Opened {
    connection: rusqlite::Connection,
    /// By the location of the statement's text in the program, which does not change.
    statements: HashMap<(usize, usize), StatementInfo>,
    /// Those that use nothing that batches defer, as SQLite has confirmed.
    without_deferred: HashSet<(usize, usize)>,
    /// Only of the writer.
    write_actions: Option<WriteActions>,
}

impl Opened {
    pub fn reader(connection: rusqlite::Connection) -> Self {
        Self { connection, statements: HashMap::new(), without_deferred: HashSet::new(), write_actions: None }
    }

    pub fn writer(mut connection: rusqlite::Connection) -> Result<Self, DbError> {
        let write_actions = Some(WriteActions::observe(&mut connection)?);
        Ok(Self { connection, statements: HashMap::new(), without_deferred: HashSet::new(), write_actions })
    }
}

/// A connection of the pool, to which it returns if it is for reading.
pub struct Pooled {
    opened: Option<Opened>,
    /// Nothing for a connection that belongs to no engine.
    engine: Option<Arc<Shared>>,
    role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Reader,
    Writer,
}

impl Pooled {
    pub(super) fn new(opened: Opened, engine: Arc<Shared>, role: Role) -> Self {
        Self { opened: Some(opened), engine: Some(engine), role }
    }

    /// A connection for reading that is closed when it is dropped.
    pub(super) fn without_engine(connection: rusqlite::Connection) -> Self {
        Self { opened: Some(Opened::reader(connection)), engine: None, role: Role::Reader }
    }

    /// Whether a value that was read at `since` is what the running transaction sees. Readers cannot know.
    pub fn is_unchanged(&self, since: Generations, dependency: Dependency) -> bool {
        let engine = self.engine.as_ref().filter(|_| self.role == Role::Writer);
        engine.is_some_and(|engine| engine.changes.is_unchanged_in_group(since, dependency))
    }

    /// The generations as of the running transaction, with its own changes, if it is committed.
    pub fn generations_of_transaction(&self) -> Option<Generations> {
        let engine = self.engine.as_ref().filter(|_| self.role == Role::Writer)?;
        Some(engine.changes.generations_of_transaction())
    }

    /// The value of a fact, or that it does not hold, if that is known of the state that the running transaction sees.
    pub fn known_fact(&self, fact: &RightsFact) -> Option<Option<i64>> {
        self.engine.as_ref().filter(|_| self.role == Role::Writer)?.changes.known_fact(fact)
    }

    /// Caches for the next transactions what the running one has read.
    pub fn cache_fact(&self, fact: RightsFact, value: Option<i64>) {
        if let Some(engine) = self.engine.as_ref().filter(|_| self.role == Role::Writer) {
            engine.changes.cache_fact(fact, value);
        }
    }

    pub fn optional<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Option<R>, DbError> {
        let mut statement = self.bind(sql, params, None)?;
        let mut rows = statement.raw_query();
        rows.next()?.map(|row| R::from_row(&Row::Sqlite(row))).transpose()
    }

    pub fn all<R: FromRow>(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<R>, DbError> {
        let mut statement = self.bind(sql, params, None)?;
        let mut rows = statement.raw_query();
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(R::from_row(&Row::Sqlite(row))?);
        }
        Ok(found)
    }

    pub fn execute(&mut self, sql: &'static str, params: &[Value<'_>], declared: Declared) -> Result<u64, DbError> {
        Ok(self.bind(sql, params, Some(declared))?.raw_execute()? as u64)
    }

    /// Runs an `insert ... returning id`. SQLite knows the last inserted id anyway; to return a row, it would fill a
    /// temporary table first.
    pub fn insert<R: FromRow>(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        declared: Declared,
    ) -> Result<R, DbError> {
        debug_assert!(!sql.contains("on conflict"), "an insert that may insert nothing has no id to return");
        self.execute(sql.strip_suffix(RETURNING_ID).unwrap_or(sql), params, declared)?;
        R::from_row(&Row::Inserted(self.last_insert_rowid()))
    }

    /// Fails if a statement of the writer uses what batches defer although it has declared that it does not.
    pub fn check_deferred(&mut self, sql: &'static str, declared: DeferredUse) -> Result<(), DbError> {
        let Opened { connection, without_deferred, write_actions, .. } = self.opened();
        if let (DeferredUse::None, Some(actions)) = (declared, write_actions)
            && without_deferred.insert((sql.as_ptr().addr(), sql.len()))
        {
            actions.check_deferred(connection, sql)?;
        }
        Ok(())
    }

    /// A statement with its values, ready to run.
    fn bind(
        &mut self,
        sql: &'static str,
        params: &[Value<'_>],
        declared: Option<Declared>,
    ) -> Result<rusqlite::CachedStatement<'_>, DbError> {
        let Self { opened, engine, .. } = self;
        let Opened { connection, statements, write_actions, .. } =
            opened.as_mut().expect("a connection is only taken when dropped");
        let mut statement = connection.prepare_cached(sql)?;
        let info = statements.entry((sql.as_ptr().addr(), sql.len())).or_insert_with(|| StatementInfo::new(&statement));
        if let (Some(declared), Some(actions), Some(engine)) = (declared, write_actions, engine) {
            let kinds = match info.checked {
                Some((effect, kinds)) if effect == declared.effect => kinds,
                _ => {
                    let kinds = actions.check(connection, sql, declared.effect)?;
                    info.checked = Some((declared.effect, kinds));
                    kinds
                }
            };
            engine.changes.add(declared, kinds);
        }
        info.bind(&mut statement, params)?;
        Ok(statement)
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
        let (Some(opened), Some(engine)) = (self.opened.take(), &self.engine) else { return };
        let mut idle = engine.idle_readers.lock();
        if self.role == Role::Reader && idle.len() < IDLE_READERS_MAX {
            idle.push(opened);
        }
    }
}

/// What is found out about a statement once.
struct StatementInfo {
    /// The index of the value for each parameter. To SQLite `$2` is a name like any other, numbered by its first use; here
    /// it means the second value. Looking the names up takes longer than binding the values.
    order: Box<[usize]>,
    /// The declaration that SQLite's report agrees with, and the kinds of content in that report.
    checked: Option<(Effect, ContentKinds)>,
}

impl StatementInfo {
    fn new(statement: &rusqlite::Statement<'_>) -> Self {
        Self { order: order_of(statement), checked: None }
    }

    fn bind(&self, statement: &mut rusqlite::Statement<'_>, params: &[Value<'_>]) -> Result<(), DbError> {
        for (index, value) in self.order.iter().enumerate() {
            let value = params.get(*value);
            let value = value.ok_or_else(|| DbError::Fault("a statement names a value that is missing".into()))?;
            statement.raw_bind_parameter(index + 1, value)?;
        }
        Ok(())
    }
}

fn order_of(statement: &rusqlite::Statement<'_>) -> Box<[usize]> {
    let value = |index| {
        let number = statement.parameter_name(index).and_then(|name| name[1..].parse::<usize>().ok());
        // An index that no list of values has.
        number.and_then(|number| number.checked_sub(1)).unwrap_or(usize::MAX)
    };
    (1..=statement.parameter_count()).map(value).collect()
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;
    use crate::params;
    use crate::sqlite::tests::opened;

    #[test]
    fn statement_is_compiled_once() {
        let (_directory, engine) = opened();
        let reader = engine.reader().expect("it can be read");
        let sql = "select u.login from token t left join account u on u.id = t.user_id \
                   where t.hash = $1 and t.ended_at is null";
        let mut statement = reader.prepare(sql).expect("the statement is right");
        for hash in [[1_u8; 32], [2; 32]] {
            StatementInfo::new(&statement).bind(&mut statement, params![hash]).expect("it has one value");
            assert!(statement.raw_query().next().expect("it runs").is_none());
        }
        assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
    }

    #[test]
    fn values_are_bound_by_number_in_any_order() {
        let (_directory, engine) = opened();
        let mut reader = engine.reader().expect("it can be read");
        for _ in 0..2 {
            let sql = "select $2 || $1 || $2, $3";
            let found = reader.optional::<(String, i64)>(sql, params!["a", "b", 3_i64]).expect("it runs");
            assert_eq!(found, Some(("bab".to_owned(), 3)));
        }
        assert!(reader.optional::<(String,)>("select $1 || $2", params!["a"]).is_err());
    }
}
