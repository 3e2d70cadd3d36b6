//! What statements write to, as SQLite reports it when it compiles them.

use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use crate::DbError;
use crate::content_kinds::ContentKinds;
use crate::deferred::is_deferred;
use crate::effect::{Effect, WriteAction};

/// The authorizer of a connection. It allows everything and records what is written to.
#[derive(Clone, Default)]
pub struct WriteActions(Arc<Mutex<Option<Recorded>>>);

#[derive(Default)]
struct Recorded {
    writes: Vec<WriteAction>,
    /// What is read or changed of that which batches defer.
    deferred: Vec<String>,
}

impl WriteActions {
    /// Becomes the authorizer of `connection`. Only then: each call makes SQLite compile all statements again.
    pub fn observe(connection: &mut rusqlite::Connection) -> Result<Self, DbError> {
        let actions = Self::default();
        let recorded = actions.0.clone();
        connection.authorizer(Some(move |context: AuthContext<'_>| {
            if let Some(recorded) = &mut *recorded.lock() {
                recorded.writes.extend(write_action(&context.action));
                recorded.deferred.extend(deferred(&context.action));
            }
            Authorization::Allow
        }))?;
        Ok(actions)
    }

    /// The kinds of content that a statement changes. Fails where it writes to more than it has declared.
    pub fn check(
        &self,
        connection: &rusqlite::Connection,
        sql: &str,
        declared: Effect,
    ) -> Result<ContentKinds, DbError> {
        let actions = self.record(connection, sql)?.writes;
        if let Some(action) = actions.iter().find(|action| !declared.allows(action)) {
            return Err(DbError::Fault(format!("{sql:?} is declared as {declared:?}, but has {action:?}").into()));
        }
        let kinds = ContentKinds::of(&actions);
        // What PostgreSQL goes by, which reports nothing.
        if declared == Effect::Content && !ContentKinds::by_words(sql).contains_all(kinds) {
            return Err(DbError::Fault(format!("{sql:?} changes more kinds of content than its words say").into()));
        }
        Ok(kinds)
    }

    /// Fails where a statement reads or changes what batches defer.
    pub fn check_deferred(&self, connection: &rusqlite::Connection, sql: &str) -> Result<(), DbError> {
        match self.record(connection, sql)?.deferred.first() {
            None => Ok(()),
            Some(used) => {
                let message = format!("{sql:?} is declared to use nothing that is deferred, but has {used}");
                Err(DbError::Fault(message.into()))
            }
        }
    }

    fn record(&self, connection: &rusqlite::Connection, sql: &str) -> Result<Recorded, DbError> {
        *self.0.lock() = Some(Recorded::default());
        // Compiled for this alone: a statement from the cache is not reported.
        let compiled = connection.prepare(sql).map(drop);
        let recorded = self.0.lock().take().unwrap_or_default();
        compiled?;
        Ok(recorded)
    }
}

fn deferred(action: &AuthAction<'_>) -> Option<String> {
    let (table, column) = match action {
        AuthAction::Read { table_name, column_name } | AuthAction::Update { table_name, column_name } => {
            (*table_name, Some(*column_name))
        }
        AuthAction::Insert { table_name } | AuthAction::Delete { table_name } => (*table_name, None),
        _ => return None,
    };
    is_deferred(table, column).then(|| format!("{table}.{}", column.unwrap_or("*")))
}

fn write_action(action: &AuthAction<'_>) -> Option<WriteAction> {
    Some(match action {
        AuthAction::Insert { table_name } => WriteAction::Insert { table: (*table_name).to_owned() },
        AuthAction::Delete { table_name } => WriteAction::Delete { table: (*table_name).to_owned() },
        AuthAction::Update { table_name, column_name } => {
            WriteAction::Update { table: (*table_name).to_owned(), column: (*column_name).to_owned() }
        }
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Function { .. } | AuthAction::Recursive => {
            return None;
        }
        _ => WriteAction::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection() -> (rusqlite::Connection, WriteActions) {
        let mut connection = rusqlite::Connection::open_in_memory().expect("memory");
        crate::migrations::migrate_sqlite(&mut connection).expect("the schema is right");
        let actions = WriteActions::observe(&mut connection).expect("SQLite has authorizers");
        (connection, actions)
    }

    #[test]
    fn statement_that_writes_more_than_it_declares_fails() {
        let (connection, actions) = connection();
        for (sql, declared, is_allowed) in [
            (
                "update repo set ref_generation = ref_generation + 1, pushed_at = $2 where id = $1",
                Effect::Content,
                true,
            ),
            ("update repo set ref_generation = 1, private = false where id = $1", Effect::Content, false),
            ("update repo set ref_generation = 1, private = false where id = $1", Effect::TakesNoRight, false),
            ("update repo set ref_generation = 1, private = false where id = $1", Effect::Rights, true),
            ("insert into git_ref (repo_id, name, target, kind) values (1, '', '', '')", Effect::Content, true),
            ("with x as (select 1) delete from token", Effect::TakesNoRight, false),
            ("insert into membership (org_id, user_id, role) values (1, 1, 'x')", Effect::TakesNoRight, true),
            (
                "insert into membership (org_id, user_id, role) values (1, 1, 'x') \
                 on conflict (org_id, user_id) do update set role = excluded.role",
                Effect::TakesNoRight,
                false,
            ),
            ("update pull set version = 2 where id = 1", Effect::Content, false),
            ("update pull set version = 2 where id = 1", Effect::Pulls, true),
            ("drop table notification", Effect::Content, false),
            // The words do not say that it changes a ref.
            ("update main.git_ref set target = '' where repo_id = 1", Effect::Content, false),
        ] {
            let checked = actions.check(&connection, sql, declared);
            assert_eq!(checked.is_ok(), is_allowed, "{sql} as {declared:?}: {checked:?}");
        }
    }

    #[test]
    fn statement_with_an_undeclared_use_of_what_is_deferred_fails() {
        let (connection, actions) = connection();
        for (sql, is_allowed) in [
            ("select default_branch from repo where id = $1", true),
            ("select ref_generation from repo where id = $1", false),
            ("select * from repo", false),
            ("select id from pull where repo_id = $1 order by updated_at", false),
            ("insert into git_ref (repo_id, name, target, kind) select id, '', '', '' from repo", true),
            (
                "insert into git_ref (repo_id, name, target, kind) select id, '', '', '' from repo where pushed_at > 0",
                false,
            ),
            ("update pull set review_comments = 1", false),
            ("select id from notification", false),
            ("insert into notification (user_id, repo_id, updated_at) values (1, 1, 1)", false),
            ("delete from notification", false),
        ] {
            let checked = actions.check_deferred(&connection, sql);
            assert_eq!(checked.is_ok(), is_allowed, "{sql}: {checked:?}");
        }
    }

    /// SQLite does not report what foreign keys delete, so no content row may have a row with rights as its child, and none of
    /// another kind.
    #[test]
    fn deleted_content_takes_only_content_with_it() {
        let (connection, _) = connection();
        let sql =
            "select m.name, f.\"table\" from sqlite_schema m, pragma_foreign_key_list(m.name) f where m.type = 'table'";
        let mut statement = connection.prepare(sql).expect("it is right");
        let keys = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("it runs");
        let keys: Vec<(String, String)> = keys.map(|key| key.expect("two texts")).collect();
        assert!(keys.len() > 20, "{keys:?}");
        for (child, parent) in keys {
            for effect in [Effect::Pulls, Effect::Content] {
                let (of_child, of_parent) =
                    (WriteAction::Delete { table: child.clone() }, WriteAction::Delete { table: parent.clone() });
                assert!(!effect.allows(&of_parent) || effect.allows(&of_child), "{parent} has the child {child}");
                let has_kind = of_child.kind().is_none() || of_child.kind() == of_parent.kind();
                assert!(effect != Effect::Content || !effect.allows(&of_parent) || has_kind, "{parent}, {child}");
            }
        }
    }
}
