//! What a batch on PostgreSQL does once for all its members, just before its commit: see [`Increment`](crate::Increment) and
//! [`Overwrite`](crate::Overwrite).
//!
//! Until then the rows are as they were before. So a statement that is sent in a batch declares that it uses nothing of that kind
//! (`without_deferred`), and SQLite checks that declaration when it compiles it.

use crate::counter::Increments;
use crate::overwrite::Overwrites;
use crate::value::OwnedValue;

/// The columns of counters. Only statements that declare no use of what is deferred are checked against them.
const COLUMNS: &[(&str, &str)] =
    &[("pull", "review_comments"), ("pull", "updated_at"), ("repo", "pushed_at"), ("repo", "ref_generation")];
/// The tables with rows that are overwritten.
const TABLES: &[&str] = &["notification"];

/// Whether a statement reads or changes something that a batch defers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeferredUse {
    /// It may. Assumed of every statement that declares nothing.
    Any,
    /// It does not: see `is_deferred`.
    None,
}

/// Whether a batch defers changes of a table, or of one of its columns.
pub(crate) fn is_deferred(table: &str, column: Option<&str>) -> bool {
    TABLES.contains(&table) || column.is_some_and(|column| COLUMNS.contains(&(table, column)))
}

/// What is deferred.
#[derive(Debug, Default)]
pub(crate) struct Deferred {
    pub increments: Increments,
    pub overwrites: Overwrites,
}

impl Deferred {
    /// Adds what a later member of the batch has deferred.
    pub fn append(&mut self, later: Self) {
        self.increments.append(later.increments);
        self.overwrites.append(later.overwrites);
    }

    pub fn statements(self) -> Vec<(&'static str, Vec<OwnedValue>)> {
        let mut statements = self.increments.statements();
        statements.extend(self.overwrites.statements());
        statements
    }
}
