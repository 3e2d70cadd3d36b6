//! Group commit: writes that wait for the same repository or account run one after another in one transaction, and share its
//! beginning, its commit and its sync (docs/decisions/0174-group-commit-on-postgresql.md).
//!
//! Nobody gets a result before the commit. A write that is rejected must leave nothing behind. Hardly one is after it has changed
//! something, so a group runs without savepoints. If one was needed after all, the group is rolled back and runs again, each
//! member in a savepoint of its own. If a group fails for another reason, each member gets a transaction of its own.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures_util::FutureExt;

use super::failure::Failure;
use super::members::Savepoints;
use super::queues::QueuedWrite;
use super::writer::{Begun, backoff};
use super::{Engine, RightsLock};
use crate::{DbError, InvalidationScope};
use plinth_base::error::{Error, Result};

/// Writes in one transaction, and how long it takes in more of them, so that the first does not wait for an endless queue.
const GROUP_MAX: usize = 128;
const GROUP_TIME_MAX: Duration = Duration::from_millis(20);
/// How often a group runs before each member gets a transaction of its own.
const RUNS_MAX: u32 = 4;

/// A write in a group, and what became of it in the last run.
pub(super) struct Member {
    pub queued: QueuedWrite,
    pub outcome: Outcome,
    pub took: Duration,
}

pub(super) enum Outcome {
    Undecided,
    /// Whether it signals the commit.
    Succeeded(bool),
    Rejected(Error),
    /// It needs a transaction of its own.
    Alone,
    /// It panicked, and must not run again.
    Panicked,
}

/// How a run of a group ended.
pub(super) enum Ended {
    /// The outcomes of the members are final.
    Decided,
    /// The commit failed, or nobody knows whether it did.
    Failed(Error),
    NeedsSavepoints,
    NeedsLookUp,
    Conflict,
    NeedsAlone,
}

/// Runs a group of members of one repository or account until their outcomes are decided. Members that need a transaction of their
/// own are last.
pub(super) async fn write_group(
    engine: &Engine,
    scope: InvalidationScope,
    mut group: Vec<Member>,
    mut savepoints: Savepoints,
) -> Vec<Member> {
    let mut trusts_checks = true;
    let mut failed = Ok(());
    for run in 0..RUNS_MAX {
        match run_group(engine, (scope, &mut group), savepoints, trusts_checks).await {
            Ok(Ended::Decided) => break,
            Ok(Ended::Failed(error)) | Err(error) => {
                failed = Err(error);
                break;
            }
            Ok(Ended::NeedsSavepoints) => savepoints = Savepoints::Each,
            Ok(Ended::NeedsLookUp) => trusts_checks = false,
            Ok(Ended::Conflict) if run == 0 => tokio::time::sleep(backoff(run)).await,
            Ok(Ended::Conflict | Ended::NeedsAlone) => {
                group.iter_mut().for_each(Member::needs_alone);
                break;
            }
        }
        if run + 1 == RUNS_MAX {
            group.iter_mut().for_each(Member::needs_alone);
        }
    }
    if let Err(error) = failed {
        group.iter_mut().for_each(|member| member.outcome = Outcome::Rejected(copy(&error)));
    }
    group.sort_by_key(|member| matches!(member.outcome, Outcome::Alone));
    group
}

/// Runs the members, and whatever else waits meanwhile, and commits.
async fn run_group(
    engine: &Engine,
    (scope, group): (InvalidationScope, &mut Vec<Member>),
    savepoints: Savepoints,
    trusts_checks: bool,
) -> Result<Ended> {
    let _with_others = engine.shared.alone.read().await;
    // Before anything that was checked is compared with it.
    let seen = engine.shared.changes.seen().filter(|_| trusts_checks);
    let mut begun = engine.begin(scope, RightsLock::Shared, seen).await?;
    let started = Instant::now();
    let mut next = 0;
    while let Some(member) = group.get_mut(next) {
        if let Some(ended) = run_member(&mut begun, member, savepoints).await {
            roll_back(engine, begun).await;
            return Ok(ended);
        }
        next += 1;
        if next == group.len() && next < GROUP_MAX && started.elapsed() < GROUP_TIME_MAX {
            group.extend(engine.shared.queues.next_member(scope).map(Member::new));
        }
    }
    match end_group(engine, begun, group).await? {
        // A statement that was sent with the commit failed, so that the server has rolled back.
        Ended::Failed(Error::Internal(_)) if savepoints == Savepoints::None => Ok(Ended::NeedsSavepoints),
        ended => Ok(ended),
    }
}

/// Commits what members have done, if one of them has succeeded.
pub(super) async fn end_group(engine: &Engine, begun: Begun, group: &[Member]) -> Result<Ended> {
    if !group.iter().any(|member| matches!(member.outcome, Outcome::Succeeded(_))) {
        roll_back(engine, begun).await;
        return Ok(Ended::Decided);
    }
    let committing = Instant::now();
    let ended = match engine.end(begun, Ok(())).await.0 {
        Ok(()) => Ended::Decided,
        Err(error) if DbError::needs_another_run(&error) => Ended::Conflict,
        Err(error) if DbError::needs_look_up(&error) => Ended::NeedsLookUp,
        Err(error) => Ended::Failed(error),
    };
    for member in group {
        engine.shared.times.observe(member.queued.write.label.operation, member.took + committing.elapsed());
    }
    Ok(ended)
}

/// Runs one member. Returns why the group cannot go on, if it cannot.
async fn run_member(begun: &mut Begun, member: &mut Member, savepoints: Savepoints) -> Option<Ended> {
    if matches!(member.outcome, Outcome::Panicked) {
        return None;
    }
    let started = Instant::now();
    begun.client().begin_member(savepoints);
    let ran = AssertUnwindSafe(member.queued.write.work.run(&mut begun.tx)).catch_unwind().await;
    let signals = begun.tx.take_signal();
    let client = begun.client();
    let Ok(outcome) = ran else {
        member.outcome = Outcome::Panicked;
        // It may have been interrupted in a statement.
        return Some(Ended::NeedsAlone);
    };
    let outcome = match outcome {
        Ok(()) if client.write.failure.is_none() => client.keep_member(savepoints).await.map_err(Error::from),
        Ok(()) => Err(Error::internal("a transaction went on after a statement had failed")),
        Err(error) => Err(error),
    };
    member.took = started.elapsed();
    let Err(error) = outcome else {
        member.outcome = Outcome::Succeeded(signals);
        return None;
    };
    match client.write.failure {
        Some(Failure::Conflict) => return Some(Ended::Conflict),
        Some(Failure::Revoked) => return Some(Ended::NeedsLookUp),
        Some(Failure::Unavailable) => return Some(Ended::NeedsAlone),
        Some(Failure::Statement) | None => {}
    }
    match client.undo_member(savepoints).await {
        Ok(true) => {}
        Ok(false) => return Some(Ended::NeedsSavepoints),
        Err(_) => return Some(Ended::NeedsAlone),
    }
    let needs_alone = DbError::needs_rights_lock(&error);
    member.outcome = if needs_alone { Outcome::Alone } else { Outcome::Rejected(error) };
    None
}

pub(super) async fn roll_back(engine: &Engine, mut begun: Begun) {
    // A connection that does not respond is closed, and the server rolls back.
    if begun.client().write.failure != Some(Failure::Unavailable) {
        let _ = engine.end(begun, Err(Error::internal("the group is rolled back"))).await;
    }
}

impl Member {
    pub fn new(queued: QueuedWrite) -> Self {
        Self { queued, outcome: Outcome::Undecided, took: Duration::ZERO }
    }

    /// Gives it a transaction of its own, whatever its outcome was in a group that was rolled back.
    fn needs_alone(&mut self) {
        if !matches!(self.outcome, Outcome::Panicked) {
            self.outcome = Outcome::Alone;
        }
    }

    /// Forgets its outcome in a batch that was rolled back.
    pub fn forget(&mut self) {
        self.outcome = Outcome::Undecided;
    }

    /// Returns the outcome to the caller, after a transaction of its own if it needs one.
    pub async fn complete(self, engine: &Engine) {
        let panicked = || Error::internal("a transaction panicked");
        let outcome = match self.outcome {
            Outcome::Succeeded(signals) => Ok(signals),
            Outcome::Rejected(error) => Err(error),
            Outcome::Panicked => Err(panicked()),
            Outcome::Alone if self.queued.is_abandoned() => return,
            Outcome::Undecided => Err(Error::internal("a transaction was not run")),
            Outcome::Alone => {
                let ran = AssertUnwindSafe(engine.write_alone(&self.queued.write)).catch_unwind().await;
                ran.unwrap_or_else(|_| Err(panicked()))
            }
        };
        self.queued.complete(outcome);
    }
}

/// The same error for another caller.
pub(super) fn copy(error: &Error) -> Error {
    match error {
        Error::Unavailable(why) => Error::Unavailable(why.clone()),
        other => Error::internal(other.to_string()),
    }
}
