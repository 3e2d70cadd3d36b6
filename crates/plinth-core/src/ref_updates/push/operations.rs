//! The transactions in which the refs of a push move: one, unless there are very many refs.

use parking_lot::Mutex;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_store::Transaction;

use super::{Pusher, UpdateOutcome, UpdateRejection, ValidatedUpdate, rules};
use crate::Core;
use crate::access::{Current, check_workflows};
use crate::pulls::{self, PendingRefresh};
use crate::ref_updates::{Mover, PushSize, RefMoves, move_refs};
use crate::refs::{self, Change};
use crate::repos::{self, GitRepo};

/// Updates per transaction. Larger pushes take several, so that other writers do not wait long.
const TRANSACTION_UPDATES_MAX: usize = 250;
/// Updates of an atomic push, which cannot be split.
const ATOMIC_UPDATES_MAX: usize = 1_000;

/// Makes the valid updates, or with `atomic` all or none, and returns the outcome of each.
pub async fn apply(
    core: &Core,
    pusher: Pusher,
    updates: Vec<ValidatedUpdate>,
    atomic: bool,
) -> Result<Vec<UpdateOutcome>> {
    if atomic && updates.len() > ATOMIC_UPDATES_MAX {
        return Ok(vec![Err(UpdateRejection::TooManyAtomic(ATOMIC_UPDATES_MAX)); updates.len()]);
    }
    if atomic || updates.len() <= TRANSACTION_UPDATES_MAX {
        return apply_together(core, pusher, (updates, None), atomic).await;
    }
    let mut outcomes: Vec<UpdateOutcome> = vec![Err(UpdateRejection::Stopped); updates.len()];
    let size = PushSize::of(updates.iter().flatten());
    for (number, batch) in in_order(&updates, &pusher.repo.default_branch).chunks(TRANSACTION_UPDATES_MAX).enumerate() {
        let together = batch.iter().map(|index| updates[*index].clone()).collect();
        match apply_together(core, pusher.clone(), (together, Some(size)), false).await {
            Ok(applied) => batch.iter().zip(applied).for_each(|(index, outcome)| outcomes[*index] = outcome),
            Err(error) if number == 0 => return Err(error),
            // Earlier batches are reported as applied, the rest as stopped.
            Err(_) => break,
        }
    }
    Ok(outcomes)
}

/// Deletions come first, so that their names are free. Then comes the default branch: otherwise the first branch that is
/// pushed to an empty repository would become the default branch.
fn in_order(updates: &[ValidatedUpdate], default_branch: &str) -> Vec<usize> {
    let mut order: Vec<usize> = (0..updates.len()).collect();
    order.sort_by_key(|index| match &updates[*index] {
        Ok(change) if change.new.is_none() => 0,
        Ok(change) if change.name.as_str().strip_prefix("refs/heads/") == Some(default_branch) => 1,
        Ok(_) | Err(_) => 2,
    });
    order
}

async fn apply_together(
    core: &Core,
    pusher: Pusher,
    (updates, push): (Vec<ValidatedUpdate>, Option<PushSize>),
    atomic: bool,
) -> Result<Vec<UpdateOutcome>> {
    let mover = Mover { actor: pusher.caller().actor(), now: core.clock.now(), push };
    let work = Work { pusher, updates, atomic, mover, rolled_back: Mutex::default() };
    let work = std::sync::Arc::new(work);
    let applied = work.pusher.write_current(work.clone(), |tx, current, work| Box::pin(work.run(tx, current))).await;
    match (applied, work.rolled_back.lock().take()) {
        (Err(Error::Conflict(_)), Some(outcomes)) => Ok(outcomes),
        (applied, _) => applied.map(|(outcomes, refresh)| {
            pulls::refresh_later(core, work.pusher.repo.id, refresh);
            outcomes
        }),
    }
}

struct Work {
    pusher: Pusher,
    updates: Vec<ValidatedUpdate>,
    atomic: bool,
    mover: Mover,
    /// The outcomes of a transaction that was rolled back, which can return only an error.
    rolled_back: Mutex<Option<Vec<UpdateOutcome>>>,
}

impl Work {
    async fn run(
        &self,
        tx: &mut Transaction,
        Current { target: repo, caller, grant }: &Current<GitRepo>,
    ) -> Result<(Vec<UpdateOutcome>, PendingRefresh)> {
        if check_workflows(self.pusher.caller(), &self.pusher.grant).is_ok() {
            // Validation relied on this right, which may have been revoked since.
            check_workflows(caller, grant)?;
        }
        let mut outcomes: Vec<UpdateOutcome> = self.updates.iter().map(|update| check_current(update, repo)).collect();
        if self.atomic && outcomes.iter().any(Result::is_err) {
            return Ok((all_or_nothing(outcomes), PendingRefresh::default()));
        }
        let is_first = !refs::store::has_branches(tx, repo.id).await?;
        let changes: Vec<Change> = accepted(&self.updates, &outcomes).cloned().collect();
        let RefMoves { outcomes: moved, mut refresh } = move_refs(tx, repo.id, &changes, self.mover).await?;
        let open = outcomes.iter_mut().filter(|outcome| outcome.is_ok());
        open.zip(moved).for_each(|(outcome, moved)| *outcome = moved.map_err(UpdateRejection::from));
        if self.atomic && outcomes.iter().any(Result::is_err) {
            *self.rolled_back.lock() = Some(all_or_nothing(outcomes));
            return Err(Error::Conflict("an atomic push was rolled back".into()));
        }
        if is_first && let Some(tip) = self.adopt_default_branch(tx, repo, &outcomes).await? {
            refresh.default_branch = Some((None, tip));
        }
        Ok((outcomes, refresh))
    }

    /// The first branch of an empty repository becomes its default branch, unless the push has the configured one.
    /// Returns the tip of the new default branch.
    async fn adopt_default_branch(
        &self,
        tx: &mut Transaction,
        repo: &GitRepo,
        outcomes: &[UpdateOutcome],
    ) -> Result<Option<Sha>> {
        let branches: Vec<(&str, Sha)> = accepted(&self.updates, outcomes)
            .filter_map(|change| Some((change.name.as_str().strip_prefix("refs/heads/")?, change.new?.sha)))
            .collect();
        match branches.first() {
            Some((first, tip)) if !branches.iter().any(|(name, _)| *name == repo.default_branch) => {
                let Mover { actor, now, .. } = self.mover;
                repos::operations::update_default_branch(tx, repo.id, first, actor, now).await?;
                Ok(Some(*tip))
            }
            Some(_) | None => Ok(None),
        }
    }
}

/// The checks that need the current state of the repository.
fn check_current(update: &ValidatedUpdate, repo: &GitRepo) -> UpdateOutcome {
    match update {
        Ok(change) if change.new.is_none() => rules::check_deletion(&change.name, &repo.default_branch),
        Ok(_) => Ok(()),
        Err(rejection) => Err(rejection.clone()),
    }
}

fn accepted<'a>(updates: &'a [ValidatedUpdate], outcomes: &'a [UpdateOutcome]) -> impl Iterator<Item = &'a Change> {
    updates.iter().zip(outcomes).filter(|(_, outcome)| outcome.is_ok()).filter_map(|(update, _)| update.as_ref().ok())
}

fn all_or_nothing(outcomes: Vec<UpdateOutcome>) -> Vec<UpdateOutcome> {
    outcomes.into_iter().map(|outcome| outcome.and(Err(UpdateRejection::Atomic))).collect()
}
