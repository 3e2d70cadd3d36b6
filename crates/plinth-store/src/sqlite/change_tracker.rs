//! Finds out which commits changed what, in this process and in others
//! (docs/decisions/0132-cache-invalidation-by-scope.md).
//!
//! `pragma data_version` on a connection changes when any *other* connection commits. The observer is a connection that
//! never writes: its number changes with every commit. The writer's own number changes only with commits of other
//! processes. A change that the observer sees and the writer does not is the writer's own, and the writer knows what its
//! statements have declared. Every other change may be of anything.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::read_lock::ReadLock;
use crate::content_kinds::ContentKinds;
use crate::effect::Declared;
use crate::invalidation::Changes;
use crate::{DbError, Dependency, Effect, GenerationTable, Generations, RightsFact};

/// How many facts are cached, of some 40 bytes each.
const FACTS_MAX: usize = 16_384;

pub struct ChangeTracker {
    generations: Arc<GenerationTable>,
    observer: Mutex<Observer>,
    uncommitted: Mutex<Uncommitted>,
    facts: Mutex<Facts>,
}

struct Observer {
    connection: rusqlite::Connection,
    /// Nothing when it could not be read.
    data_version: Option<i64>,
    /// The writer's, after its last group. Nothing after a failed group, which may have been the last of its connection.
    writer_data_version: Option<i64>,
    writer: WriterPhase,
    read_lock: ReadLock,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriterPhase {
    Idle,
    /// A group of transactions has begun and not ended.
    InGroup,
    /// The last group has failed; the log may have to be emptied.
    Failed,
}

/// What the running group of transactions has changed so far.
#[derive(Default)]
struct Uncommitted {
    all: Changes,
    /// The changes of each transaction, in order.
    each: Vec<Changes>,
}

/// What transactions have found out about rights.
#[derive(Default)]
struct Facts {
    /// As of when all of them hold.
    since: Option<Generations>,
    known: HashMap<RightsFact, Option<i64>>,
}

/// A running group of transactions, with the writer's data version at its beginning.
pub struct Group {
    data_version: Option<i64>,
}

impl ChangeTracker {
    /// The two readers are used for nothing else.
    pub fn new(
        [observer, read_lock]: [rusqlite::Connection; 2],
        writer: &rusqlite::Connection,
        generations: Arc<GenerationTable>,
    ) -> Self {
        let observer = Observer {
            data_version: data_version(&observer).ok(),
            connection: observer,
            writer_data_version: data_version(writer).ok(),
            writer: WriterPhase::Idle,
            read_lock: ReadLock::new(read_lock),
        };
        Self { generations, observer: Mutex::new(observer), uncommitted: Mutex::default(), facts: Mutex::default() }
    }

    /// The generations as of now, with the commits of other processes.
    ///
    /// Nothing when the database cannot be read, and between a commit of the writer and [`ChangeTracker::end`], which
    /// records what was committed.
    pub fn generations(&self) -> Option<Generations> {
        let mut observer = self.observer.lock();
        let data_version = data_version(&observer.connection).ok()?;
        if observer.data_version != Some(data_version) {
            if observer.writer == WriterPhase::InGroup {
                return None;
            }
            observer.read_lock.release();
            observer.data_version = Some(data_version);
            self.generations.record_unknown();
        } else if observer.writer == WriterPhase::Idle {
            observer.read_lock.count();
        }
        Some(self.generations.now())
    }

    /// Whether a value that was read at `since` is what a transaction of the running group sees. Other transactions of
    /// the group have run before it: their changes count, and no request has seen them yet.
    pub fn is_unchanged_in_group(&self, since: Generations, dependency: Dependency) -> bool {
        !self.uncommitted.lock().all.affects(dependency) && self.generations.is_unchanged(since, dependency)
    }

    /// The value of a fact, or that it does not hold, if that is known and rights have not changed since.
    pub fn known_fact(&self, fact: &RightsFact) -> Option<Option<i64>> {
        let facts = self.facts.lock();
        let value = *facts.known.get(fact)?;
        self.is_unchanged_in_group(facts.since?, Dependency::Rights).then_some(value)
    }

    /// Caches what a transaction of the running group has read, unless the group has changed rights: it may be rolled back.
    pub fn cache_fact(&self, fact: RightsFact, value: Option<i64>) {
        let now = self.generations.now();
        if !self.is_unchanged_in_group(now, Dependency::Rights) {
            return;
        }
        let mut facts = self.facts.lock();
        let are_valid = facts.since.is_some_and(|since| self.generations.is_unchanged(since, Dependency::Rights));
        if !are_valid || facts.known.len() >= FACTS_MAX {
            *facts = Facts { since: Some(now), known: HashMap::new() };
        }
        facts.known.insert(fact, value);
    }

    /// Begins a group. Call it with the write lock, so that no other connection commits before [`ChangeTracker::end`].
    pub fn begin(&self, writer: &rusqlite::Connection) -> Group {
        let mut observer = self.observer.lock();
        let group = Group { data_version: data_version(writer).ok() };
        if group.data_version.is_none() || group.data_version != observer.writer_data_version {
            // Another process has committed; a request may have found that already.
            let seen = data_version(&observer.connection).ok();
            if seen.is_none() || seen != observer.data_version {
                self.generations.record_unknown();
            }
            observer.data_version = seen;
        }
        observer.read_lock.release();
        observer.writer = WriterPhase::InGroup;
        *self.uncommitted.lock() = Uncommitted::default();
        group
    }

    /// Begins the next transaction of the running group.
    pub fn begin_transaction(&self) {
        self.uncommitted.lock().each.push(Changes::default());
    }

    /// The generations as of the running transaction, with its own changes, if it is committed.
    pub fn generations_of_transaction(&self) -> Generations {
        self.generations.after(self.uncommitted.lock().each.len())
    }

    /// Adds what a statement of the running transaction changes.
    pub fn add(&self, Declared { effect, scope, rows }: Declared, kinds: ContentKinds) {
        let Uncommitted { all, each } = &mut *self.uncommitted.lock();
        for changes in each.last_mut().into_iter().chain([all]) {
            match effect {
                Effect::Content => changes.add_content(scope, kinds, rows),
                Effect::Rights | Effect::TakesNoRight | Effect::Pulls => changes.add(effect, scope),
            }
        }
    }

    /// Ends a group. Call it before anyone is notified of the commit.
    pub fn end(&self, group: &Group, writer: &rusqlite::Connection, outcome: Result<(), &DbError>) {
        let mut observer = self.observer.lock();
        let Uncommitted { each: transactions, .. } = std::mem::take(&mut *self.uncommitted.lock());
        // In this order: a commit of another process between the two reads is seen by the writer, and a later one by the
        // observer's next read.
        let seen = data_version(&observer.connection).ok();
        let seen_by_writer = data_version(writer).ok();
        let is_known = outcome.is_ok() && seen.is_some() && group.data_version.is_some();
        if is_known && seen_by_writer == group.data_version && seen != observer.data_version {
            self.generations.record_each(&transactions);
        } else {
            // Their numbers may be in use: each transaction knows its own before the commit.
            self.generations.skip(transactions.len());
            if !is_known || seen_by_writer != group.data_version {
                self.generations.record_unknown();
            }
        }
        observer.data_version = seen;
        observer.writer_data_version = seen_by_writer.filter(|_| outcome.is_ok());
        observer.writer = if outcome.is_ok() { WriterPhase::Idle } else { WriterPhase::Failed };
    }

    /// Lets the log be restarted. Call it every second.
    pub fn release_read_lock(&self) {
        self.observer.lock().read_lock.release();
    }

    #[cfg(test)]
    pub fn has_read_lock(&self) -> bool {
        self.observer.lock().read_lock.is_held()
    }
}

fn data_version(connection: &rusqlite::Connection) -> Result<i64, DbError> {
    Ok(connection.prepare_cached("pragma data_version")?.query_row([], |row| row.get(0))?)
}
