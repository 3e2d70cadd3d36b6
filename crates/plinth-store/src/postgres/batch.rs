//! Batches: writes of any repositories that take one round trip each are sent together, in one transaction
//! (docs/decisions/0177-batches-on-postgresql.md).
//!
//! All members run up to their first statement whose result they need. Then the statements of all are sent, those of one member
//! after those of another. So what a member does is in order, as long as it sends nothing after its first results. One that does
//! leaves the batch, before it is committed: it runs again, after it. If it has changed something by then, the batch is rolled back.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::Poll;
use std::time::Instant;

use futures_util::FutureExt;

use super::batch_link::{BatchLink, Delivery};
use super::client::Client;
use super::failure::Failure;
use super::group_commit::{Ended, Member, Outcome, copy, end_group, roll_back};
use super::merged_steps::{MemberOutputs, isolation_for};
use super::own_changes::MemberChanges;
use super::pipeline::Step;
use super::writer::{Begun, backoff};
use super::{Engine, Isolation, RightsLock};
use crate::collections::{Expected, FIND_ALL};
use crate::{Connection, DbError, DeferredUse, InvalidationScope, Transaction, params};
use plinth_base::error::{Error, Result};

/// Members of a batch. With more, the database would have nothing to do while this process responds to all of them.
pub(super) const WRITES_MAX: usize = 32;
const RUNS_MAX: u32 = 4;

/// Runs members together. Those that stay undecided have to run apart from the batch.
pub(super) async fn run_batch(engine: &Engine, members: &mut [Member]) {
    for run in 0..RUNS_MAX {
        // After two conflicts it runs while no other transaction of this node does.
        let ran = if run < 2 {
            let _with_others = engine.shared.alone.read().await;
            run_once(engine, members).await
        } else {
            let _alone = engine.shared.alone.write().await;
            run_once(engine, members).await
        };
        match ran {
            Ok(Ended::Decided) => return,
            // A statement that was sent with the commit failed, so that the server has rolled back.
            Ok(Ended::Failed(Error::Internal(_))) => break,
            Ok(Ended::Failed(error)) | Err(error) => {
                let undecided = |member: &&mut Member| !matches!(member.outcome, Outcome::Panicked);
                members
                    .iter_mut()
                    .filter(undecided)
                    .for_each(|member| member.outcome = Outcome::Rejected(copy(&error)));
                return;
            }
            Ok(Ended::Conflict) => {
                members.iter_mut().for_each(Member::forget);
                if run > 0 {
                    tokio::time::sleep(backoff(run)).await;
                }
            }
            Ok(Ended::NeedsSavepoints | Ended::NeedsLookUp | Ended::NeedsAlone) => break,
        }
    }
    members.iter_mut().for_each(Member::forget);
}

async fn run_once(engine: &Engine, members: &mut [Member]) -> Result<Ended> {
    // Before anything that was checked is compared with it.
    let seen = engine.shared.changes.seen();
    let mut scopes: Vec<InvalidationScope> = members.iter().map(|member| member.queued.write.label.scope).collect();
    scopes.dedup();
    let (mut begun, scopes) = engine.prepare_batch(&scopes, RightsLock::Shared, seen).await?;
    let mut attempts: Vec<_> = members.iter().map(|member| Attempt::new(&mut begun, member, &scopes)).collect();
    advance(&mut attempts).await;
    let steps: Vec<Vec<Step>> = attempts.iter_mut().map(Attempt::take_steps).collect();
    let isolation = isolation_for(&steps);
    let _only = match isolation {
        Isolation::Serializable => Some(engine.shared.serializable_batch.lock().await),
        Isolation::Snapshot => None,
    };
    begun.client().begin(isolation);
    let started = Instant::now();
    let outcomes = match run_members(engine, &mut begun, members, (attempts, steps)).await {
        Ok(outcomes) => outcomes,
        Err(ended) => {
            roll_back(engine, begun).await;
            return Ok(ended);
        }
    };
    for (member, outcome) in members.iter_mut().zip(outcomes) {
        (member.outcome, member.took) = (outcome, started.elapsed());
    }
    end_group(engine, begun, members).await
}

/// A member that runs.
struct Attempt<'a> {
    operation: &'static str,
    link: BatchLink,
    state: State<'a>,
    /// When its statements ran.
    position: usize,
}

enum State<'a> {
    Running(Pin<Box<dyn Future<Output = Ran> + Send + 'a>>),
    Ran(Box<Ran>),
    /// It has left the batch.
    Left,
}

struct Ran {
    tx: Transaction,
    /// Nothing if it panicked.
    outcome: Option<Result<()>>,
}

impl<'a> Attempt<'a> {
    fn new(begun: &mut Begun, member: &'a Member, scopes: &[InvalidationScope]) -> Self {
        let (link, write) = (BatchLink::default(), &member.queued.write);
        let mut tx = Transaction::new(Connection::Postgres(begun.client().member(link.clone())));
        tx.set_scope(write.label.scope);
        let run = async move {
            let outcome = AssertUnwindSafe(write.work.run(&mut tx)).catch_unwind().await.ok();
            Ran { tx, outcome }
        };
        let state = match scopes.contains(&write.label.scope) {
            true => State::Running(Box::pin(run)),
            false => State::Left,
        };
        Self { operation: write.label.operation, link, state, position: 0 }
    }

    /// The statements that it has, if they can be sent before what the batch defers.
    fn take_steps(&mut self) -> Vec<Step> {
        let (steps, uses_deferred) = match &mut self.state {
            State::Running(_) => {
                self.link.take().map_or((Vec::new(), true), |taken| (taken.steps, taken.uses_deferred))
            }
            State::Ran(ran) if matches!(ran.outcome, Some(Ok(()))) => {
                let client = ran.client();
                (client.pipeline.take_queued(), client.write.uses_deferred)
            }
            State::Ran(_) | State::Left => return Vec::new(),
        };
        if uses_deferred && !steps.is_empty() {
            self.state = State::Left;
            return Vec::new();
        }
        steps
    }

    /// What became of it after its results. Fails if the batch cannot be committed.
    fn end(self, engine: &Engine, begun: &mut Begun) -> Result<Outcome, Ended> {
        let pauses = &engine.shared.pauses;
        let mut ran = match self.state {
            State::Left => return Ok(Outcome::Undecided),
            State::Running(_) if self.link.take().is_some_and(|next| !next.has_changed) => {
                return Ok(Outcome::Undecided);
            }
            State::Running(_) => {
                pauses.begin(self.operation);
                return Err(Ended::NeedsAlone);
            }
            State::Ran(ran) => ran,
        };
        let (signals, outcome) = (ran.tx.take_signal(), ran.outcome.take());
        let client = ran.client();
        let has_changed = client.write.has_changed;
        match outcome {
            Some(Ok(())) if client.pipeline.is_empty() => {
                let shared = &mut begun.client().write;
                shared.declared.append(std::mem::take(&mut client.write.declared));
                let ran = client.write.members.drain(..);
                shared.members.extend(ran.map(|member| MemberChanges { position: self.position, ..member }));
                shared.deferred.append(std::mem::take(&mut client.write.deferred));
                Ok(Outcome::Succeeded(signals))
            }
            Some(Ok(())) => {
                pauses.begin(self.operation);
                if has_changed { Err(Ended::NeedsAlone) } else { Ok(Outcome::Undecided) }
            }
            Some(Err(_)) if has_changed => Err(Ended::NeedsSavepoints),
            Some(Err(error)) if DbError::needs_rights_lock(&error) => Ok(Outcome::Alone),
            Some(Err(error)) => Ok(Outcome::Rejected(error)),
            None => Err(Ended::NeedsAlone),
        }
    }
}

impl Ran {
    fn client(&mut self) -> &mut Client {
        match &mut *self.tx {
            Connection::Postgres(client) => client,
            Connection::Sqlite(_) => unreachable!("the batch is on PostgreSQL"),
        }
    }
}

/// Sends what members wait for, and runs them up to their commit. Fails if the batch cannot go on.
async fn run_members(
    engine: &Engine,
    begun: &mut Begun,
    members: &[Member],
    (mut attempts, steps): (Vec<Attempt<'_>>, Vec<Vec<Step>>),
) -> Result<Vec<Outcome>, Ended> {
    if steps.iter().all(Vec::is_empty) {
        return attempts.into_iter().map(|attempt| attempt.end(engine, begun)).collect();
    }
    let client = begun.client();
    let collections = send_collections(client, members).await.map_err(|_| Ended::NeedsAlone)?;
    let outputs = client.flush_members(steps).await.map_err(|_| match client.write.failure {
        Some(Failure::Conflict) => Ended::Conflict,
        Some(Failure::Revoked) => Ended::NeedsLookUp,
        Some(Failure::Unavailable) => Ended::NeedsAlone,
        Some(Failure::Statement) | None => Ended::NeedsSavepoints,
    })?;
    if let Some(number) = collections {
        let found = client.queued_rows(number).await.map_err(|_| Ended::NeedsAlone)?;
        // By itself, each finds out what has happened to its objects.
        if !expected(members).all(|expected| expected.is_in(&found)) {
            return Err(Ended::NeedsAlone);
        }
    }
    let webhooks = client.write.webhooks;
    for (attempt, MemberOutputs { position, outputs }) in attempts.iter_mut().zip(outputs) {
        attempt.position = position;
        attempt.link.deliver(Delivery { outputs, webhooks });
    }
    advance(&mut attempts).await;
    attempts.into_iter().map(|attempt| attempt.end(engine, begun)).collect()
}

fn expected(members: &[Member]) -> impl Iterator<Item = &Expected> {
    members.iter().filter_map(|member| member.queued.write.work.expected())
}

/// Reads, for all repositories at once, which collections of unreachable objects there were. Returns the number of the result.
async fn send_collections(client: &mut Client, members: &[Member]) -> Result<Option<usize>, DbError> {
    let repos: BTreeSet<i64> = expected(members).map(|expected| expected.repo().0).collect();
    if repos.is_empty() {
        return Ok(None);
    }
    let repos: Vec<String> = repos.iter().map(i64::to_string).collect();
    client.queue(FIND_ALL, params![repos.join(",")], DeferredUse::None).await.map(Some)
}

/// Runs all until each has ended, or waits for results.
async fn advance(attempts: &mut [Attempt<'_>]) {
    std::future::poll_fn(|context| {
        let mut is_busy = false;
        for attempt in &mut *attempts {
            let State::Running(run) = &mut attempt.state else { continue };
            if attempt.link.is_waiting() {
                continue;
            }
            match run.poll_unpin(context) {
                Poll::Ready(ran) => attempt.state = State::Ran(Box::new(ran)),
                Poll::Pending => is_busy |= !attempt.link.is_waiting(),
            }
        }
        if is_busy { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
}
