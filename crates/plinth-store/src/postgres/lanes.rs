//! Lanes: how writes that wait get their transactions (docs/decisions/0177-batches-on-postgresql.md).
//!
//! A write that finds few others runs at once, by itself. Those that arrive meanwhile run in batches over all repositories. What
//! takes more than one round trip leaves its batch, and runs together with others of its repository only.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;

use super::batch::run_batch;
use super::group_commit::{Member, Outcome, write_group};
use super::members::Savepoints;
use super::queues::{Entered, Write};
use super::{Engine, batch};
use crate::work::Work;
use crate::{InvalidationScope, WriteLabel};
use plinth_base::error::{Error, Result};

/// Writes that run by themselves at a time.
const SOLOS_MAX: usize = 2;
/// How long a write waits for them before a lane begins nevertheless.
const SOLO_WAIT: Duration = Duration::from_millis(5);
/// How many writes of an operation run without a batch after one was not sent in one round trip, although it had changed something.
const PAUSE: u32 = 64;

impl Engine {
    /// Runs a write in a transaction, as often as it takes, by itself or together with others. Returns whether it signals its
    /// commit.
    pub async fn write(&self, label: WriteLabel, changes_rights: bool, work: Box<dyn Work>) -> Result<bool> {
        let write = Write { label, changes_rights, work };
        // Whatever does not say what it changes has no queue.
        if label.scope == InvalidationScope::Everything {
            return self.write_alone(&write).await;
        }
        let queues = &self.shared.queues;
        match queues.enter(write, SOLOS_MAX)? {
            Entered::Runs(write) => {
                let _turn = SoloTurn { engine: self.clone(), scope: label.scope };
                self.write_alone(&write).await
            }
            Entered::Waits(mut outcome) => {
                let stopped = |_| Error::Unavailable("the server is shutting down".into());
                tokio::select! {
                    biased;
                    outcome = &mut outcome => return outcome.map_err(stopped)?,
                    () = tokio::time::sleep(SOLO_WAIT) => {}
                }
                self.begin_lane();
                outcome.await.map_err(stopped)?
            }
        }
    }

    /// Whether a write would run now, by itself.
    pub fn runs_at_once(&self, scope: InvalidationScope) -> bool {
        self.shared.queues.is_free(scope, SOLOS_MAX)
    }

    /// Begins a lane, if something waits for a turn and there are not enough.
    fn begin_lane(&self) {
        if !self.shared.queues.begin_lane() {
            return;
        }
        match tokio::runtime::Handle::try_current() {
            // Whoever waits may be gone before the others.
            Ok(runtime) => drop(runtime.spawn(run_lane(self.clone()))),
            Err(_) => self.shared.queues.close_lane(),
        }
    }
}

/// The turn of a write that did not have to wait. When it is dropped, those that wait meanwhile begin.
struct SoloTurn {
    engine: Engine,
    scope: InvalidationScope,
}

impl Drop for SoloTurn {
    fn drop(&mut self) {
        self.engine.shared.queues.end_solo(self.scope);
        self.engine.begin_lane();
    }
}

/// Ends a lane if its task ends, however it does: if it was the only one, whoever waits gets an error, and the next write begins
/// another one.
struct Lane<'a>(&'a Engine);

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        self.0.shared.queues.close_lane();
    }
}

/// A turn that ends when it is dropped. What waits for the next one gets a lane.
struct ScopeTurn {
    engine: Engine,
    scope: InvalidationScope,
}

impl Drop for ScopeTurn {
    fn drop(&mut self) {
        self.engine.shared.queues.end_turn(self.scope);
        self.engine.begin_lane();
    }
}

async fn run_lane(engine: Engine) {
    let lane = Lane(&engine);
    while let Some((scopes, writes)) = engine.shared.queues.next_batch(batch::WRITES_MAX) {
        // Another one, for what waits longer than for one batch.
        engine.begin_lane();
        let turns: Vec<ScopeTurn> =
            scopes.into_iter().map(|scope| ScopeTurn { engine: engine.clone(), scope }).collect();
        let (mut batched, mut others): (Vec<Member>, Vec<Member>) =
            writes.into_iter().map(Member::new).partition(|member| engine.shared.pauses.allow(&member.queued.write));
        if batched.len() < 2 {
            others.append(&mut batched);
        } else {
            run_batch(&engine, &mut batched).await;
        }
        for member in batched {
            match member.outcome {
                Outcome::Undecided | Outcome::Alone => others.push(member),
                _ => member.complete(&engine).await,
            }
        }
        for turn in turns {
            let scope = turn.scope;
            let (own, rest) = others.into_iter().partition(|member| member.queued.write.label.scope == scope);
            others = rest;
            run_rest(turn, own);
        }
    }
    // It has ended.
    std::mem::forget(lane);
}

/// Runs what a batch has left of a turn, apart from the lanes.
fn run_rest(turn: ScopeTurn, members: Vec<Member>) {
    if members.is_empty() {
        return;
    }
    tokio::spawn(async move {
        let (engine, scope) = (turn.engine.clone(), turn.scope);
        let mut members = members.into_iter().peekable();
        while let Some(first) = members.next() {
            let mut group = vec![first];
            if !group[0].queued.write.changes_rights {
                while let Some(next) = members.next_if(|member| !member.queued.write.changes_rights) {
                    group.push(next);
                }
                group = write_group(&engine, scope, group, Savepoints::None).await;
            } else {
                group[0].outcome = Outcome::Alone;
            }
            for member in group {
                member.complete(&engine).await;
            }
        }
        drop(turn);
    });
}

/// Operations that do not run in batches for a while.
#[derive(Default)]
pub(super) struct Pauses(Mutex<HashMap<&'static str, u32>>);

impl Pauses {
    /// Whether a write may run in a batch.
    fn allow(&self, write: &Write) -> bool {
        if write.changes_rights {
            return false;
        }
        let mut pauses = self.0.lock();
        match pauses.get_mut(write.label.operation) {
            None | Some(0) => true,
            Some(left) => {
                *left -= 1;
                false
            }
        }
    }

    pub fn begin(&self, operation: &'static str) {
        self.0.lock().insert(operation, PAUSE);
    }
}
