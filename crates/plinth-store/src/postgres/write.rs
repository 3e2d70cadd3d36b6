//! Write transactions on one connection: how they begin and end, each in the round trip of a statement of their own.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use tokio_postgres::SimpleQueryMessage;

use super::changes::Seen;
use super::client::{Client, WriteState};
use super::declared::{ADD_CHANGES, ADD_REVOCATION};
use super::pipeline::{self, Output, Purpose, Step};
use super::turns::Turn;
use super::{Isolation, RightsLock};
use crate::content_kinds::ContentKinds;
use crate::effect::{ChangedRows, Declared};
use crate::value::OwnedValue;
use crate::{DbError, Effect, Increment, InvalidationScope, Overwrite};

/// The first statement after the lock on rights: whether there is an active webhook, and whether a right was revoked that the
/// state `$1` still has. Revocations exclude other write transactions, so this reads no row that one of them adds.
const CHECK: &str = "select exists (select 1 from webhook where active), exists (select 1 from revocation \
    where changed_by >= $2 \
    and not pg_visible_in_snapshot(cast(cast(changed_by as text) as xid8), cast(cast($1 as text) as pg_snapshot)))";

/// Without a state, nothing is compared.
const NOTHING_SEEN: (&str, i64) = ("1:1:", i64::MAX);

impl Client {
    /// Waits until it is the turn of this node to change something, before the transaction begins. `seen` is the state of which
    /// rights were checked before.
    pub(super) fn prepare(&mut self, lock: RightsLock, turn: Option<Turn>, seen: Option<Arc<Seen>>) {
        self.set_running(Some(lock));
        if let Some(turn) = turn {
            self.pipeline.push(Step::Text(turn.take().into()));
        }
        let turns = turn.into_iter().collect();
        *self.write = WriteState { turns, seen, before: Some(self.generations_now()), ..WriteState::default() };
    }

    /// Begins the transaction that was prepared. It is sent with the first statement.
    pub(super) fn begin(&mut self, isolation: Isolation) {
        let lock = self.running.unwrap_or(RightsLock::Exclusive);
        self.pipeline.push(Step::Text(lock.begin(isolation).into()));
        let (snapshot, oldest) = self.write.seen.as_ref().map_or(NOTHING_SEEN, |seen| (&seen.snapshot, seen.oldest));
        let params = vec![OwnedValue::Text(snapshot.to_owned()), OwnedValue::Integer(oldest)];
        self.pipeline.push(Step::Statement { sql: CHECK, params, purpose: Purpose::Check });
    }

    /// Takes turns before the transaction begins, those that nobody has to be waited for, and returns them.
    pub(super) async fn take_turns(&mut self, mut turns: Vec<Turn>) -> Result<Vec<Turn>, DbError> {
        turns.sort_unstable();
        turns.dedup();
        let text = Turn::try_take(&turns);
        let messages = self.run(async |object| object.simple_query(&text).await).await?;
        // From here on there is something to give back.
        self.write.begun = Some(Instant::now());
        let row = messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        let row = row.ok_or(DbError::NoRow)?;
        let taken = turns.into_iter().enumerate().filter(|(index, _)| row.get(*index) == Some("t"));
        self.write.turns = taken.map(|(_, turn)| turn).collect();
        Ok(self.write.turns.clone())
    }

    /// The transaction has begun, and this is what its first statement found.
    pub(super) fn begun(&mut self, check: &Output) -> Result<(), DbError> {
        let row = check.rows.first().ok_or(DbError::NoRow)?;
        let (webhooks, revoked): (bool, bool) = (row.try_get(0)?, row.try_get(1)?);
        self.write.webhooks = Some(webhooks).filter(|_| !self.write.declared.changes_rights());
        match revoked && self.write.seen.is_some() {
            true => Err(self.fail(DbError::RightsRevoked)),
            false => Ok(()),
        }
    }

    /// Records what a statement changes. Fails if that needs another lock.
    pub(super) fn declare(&mut self, sql: &'static str, declared: Declared) -> Result<(), DbError> {
        let Declared { effect, .. } = declared;
        if matches!(effect, Effect::Rights | Effect::TakesNoRight) {
            self.write.webhooks = None;
        }
        match self.running {
            Some(RightsLock::Shared) if effect.may_take_rights() => return Err(DbError::RightsLock),
            Some(_) | None => {}
        }
        let kinds = ContentKinds::written_by(sql);
        self.write.declared.add(declared, kinds);
        self.write.member().declared.add(declared, kinds);
        Ok(())
    }

    /// Adds to a counter at the end of the batch.
    pub fn increment(&mut self, increment: Increment, scope: InvalidationScope) -> Result<(), DbError> {
        self.declare(increment.counter.one, Declared { effect: Effect::Content, scope, rows: ChangedRows::None })?;
        self.write.deferred.increments.add(increment);
        Ok(())
    }

    /// Overwrites a row at the end of the batch.
    pub fn overwrite(&mut self, overwrite: Overwrite<'_>, scope: InvalidationScope) -> Result<(), DbError> {
        self.declare(overwrite.sql, Declared { effect: Effect::Content, scope, rows: ChangedRows::Any })?;
        self.write.deferred.overwrites.add(overwrite);
        Ok(())
    }

    /// Commits, together with the statements that wait and with what the transaction has changed. If one of them fails, the
    /// server rolls back.
    pub(super) async fn commit(&mut self) -> Result<(), DbError> {
        if self.write.begun.is_none() && self.write.declared.is_empty() {
            return self.forget_unsent();
        }
        // Whether the rights are still what they were is known before the commit is sent.
        if self.write.begun.is_none() {
            self.flush().await?;
        }
        if self.write.declared.revokes {
            self.pipeline.push(Step::Statement { sql: ADD_REVOCATION, params: vec![], purpose: Purpose::Nobody });
        }
        for (sql, params) in std::mem::take(&mut self.write.deferred).statements() {
            self.pipeline.push(Step::Statement { sql, params, purpose: Purpose::Nobody });
        }
        if let Some(rows) = self.write.declared.rows() {
            let params = rows.map(OwnedValue::Text).to_vec();
            self.pipeline.push(Step::Statement { sql: ADD_CHANGES, params, purpose: Purpose::Commit });
        }
        if let Some(number) = self.end("commit").await? {
            self.record_committed(number);
        }
        Ok(())
    }

    pub(super) async fn roll_back(&mut self) -> Result<(), DbError> {
        self.pipeline.clear();
        if self.write.begun.is_none() {
            return self.forget_unsent();
        }
        self.end("rollback").await?;
        Ok(())
    }

    /// Nothing was sent, so the server has no transaction.
    fn forget_unsent(&mut self) -> Result<(), DbError> {
        self.pipeline.clear();
        self.set_running(None);
        Ok(())
    }

    /// Ends a transaction with what waits to be sent. Returns its number, if that is known.
    pub(super) async fn end(&mut self, how: &'static str) -> Result<Option<i64>, DbError> {
        let mut steps = self.pipeline.take_queued();
        steps.push(Step::Text(Cow::Borrowed(how)));
        if !self.write.turns.is_empty() {
            steps.push(Step::Text(Turn::give_back(&self.write.turns).into()));
        }
        let outputs = self.run(async |object| pipeline::send(object, steps).await).await?;
        let mut first = Ok(None);
        for (purpose, output) in outputs {
            match output {
                Ok(Output { rows, .. }) if purpose == Purpose::Commit => {
                    let number = rows.first().map(|row| row.try_get(0)).transpose()?;
                    first = first.map(|_| number);
                }
                Ok(_) => {}
                // Without a code the connection is broken, and closed when it is dropped.
                Err(error) if error.code().is_none() => return Err(error.into()),
                Err(error) => first = first.and_then(|_| Err(error.into())),
            }
        }
        self.write.turns.clear();
        self.set_running(None);
        first
    }
}
