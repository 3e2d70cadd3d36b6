//! The transactions in which the names of a push change: one, unless there are very many names.

use parking_lot::Mutex;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::Sha;
use plinth_store::Transaction;

use super::rules::{self, Refusal};
use super::{Pusher, Update, Verdict};
use crate::access::{Current, GitRepo, check_workflows};
use crate::pulls::{self, Moved};
use crate::ref_updates::{RefMoves, move_refs};
use crate::refs::{self, Change};
use crate::{Core, repos};

/// Updates of one transaction. More of them are made in several, so that nobody waits long to write.
const TRANSACTION_UPDATES_MAX: usize = 250;
/// Updates of an all-or-nothing push, which cannot be divided.
const ATOMIC_UPDATES_MAX: usize = 1_000;

/// Makes the updates that are good, or all or none of them, and tells what became of each.
pub async fn apply(core: &Core, pusher: Pusher, updates: Vec<Update>, atomic: bool) -> Result<Vec<Verdict>> {
    if atomic && updates.len() > ATOMIC_UPDATES_MAX {
        return Ok(vec![Err(Refusal::TooManyAtomic(ATOMIC_UPDATES_MAX)); updates.len()]);
    }
    if atomic || updates.len() <= TRANSACTION_UPDATES_MAX {
        return apply_together(core, pusher, updates, atomic).await;
    }
    let mut verdicts: Vec<Verdict> = vec![Err(Refusal::Stopped); updates.len()];
    for (number, batch) in in_order(&updates, &pusher.repo.default_branch).chunks(TRANSACTION_UPDATES_MAX).enumerate() {
        let together = batch.iter().map(|index| updates[*index].clone()).collect();
        match apply_together(core, pusher.clone(), together, false).await {
            Ok(made) => batch.iter().zip(made).for_each(|(index, verdict)| verdicts[*index] = verdict),
            Err(error) if number == 0 => return Err(error),
            // What was made before is reported as made, and the rest as not made.
            Err(_) => break,
        }
    }
    Ok(verdicts)
}

/// Deletions first, so that they make room for other names; then the default branch, which the first branches of an
/// empty repository must not replace.
fn in_order(updates: &[Update], default_branch: &str) -> Vec<usize> {
    let mut order: Vec<usize> = (0..updates.len()).collect();
    order.sort_by_key(|index| match &updates[*index] {
        Ok(change) if change.new.is_none() => 0,
        Ok(change) if change.name.as_str().strip_prefix("refs/heads/") == Some(default_branch) => 1,
        Ok(_) | Err(_) => 2,
    });
    order
}

async fn apply_together(core: &Core, pusher: Pusher, updates: Vec<Update>, atomic: bool) -> Result<Vec<Verdict>> {
    let work = Work { pusher, updates, atomic, now: core.clock.now(), undone: Mutex::default() };
    let work = std::sync::Arc::new(work);
    let applied = work.pusher.write_current(work.clone(), |tx, current, work| Box::pin(work.run(tx, current))).await;
    match (applied, work.undone.lock().take()) {
        (Err(Error::Conflict(_)), Some(verdicts)) => Ok(verdicts),
        (applied, _) => applied.map(|(verdicts, moved)| {
            pulls::refresh_later(core, work.pusher.repo.id, moved);
            verdicts
        }),
    }
}

struct Work {
    pusher: Pusher,
    updates: Vec<Update>,
    atomic: bool,
    now: Timestamp,
    /// What the last run of a transaction met that was then undone: an undone transaction has no other way to tell.
    undone: Mutex<Option<Vec<Verdict>>>,
}

impl Work {
    async fn run(
        &self,
        tx: &mut Transaction,
        Current { target: repo, caller, grant }: &Current<GitRepo>,
    ) -> Result<(Vec<Verdict>, Moved)> {
        if check_workflows(self.pusher.caller(), &self.pusher.grant).is_ok() {
            // The updates were judged by a right that may have gone since.
            check_workflows(caller, grant)?;
        }
        let mut verdicts: Vec<Verdict> = self.updates.iter().map(|update| judge(update, repo)).collect();
        if self.atomic && verdicts.iter().any(Result::is_err) {
            return Ok((all_or_nothing(verdicts), Moved::default()));
        }
        let is_first = !refs::store::has_branches(tx, repo.id).await?;
        let changes: Vec<Change> = good_ones(&self.updates, &verdicts).cloned().collect();
        let RefMoves { outcomes, mut moved } = move_refs(tx, repo.id, &changes, self.now).await?;
        let open = verdicts.iter_mut().filter(|verdict| verdict.is_ok());
        open.zip(outcomes).for_each(|(verdict, outcome)| *verdict = outcome.map_err(Refusal::from));
        if self.atomic && verdicts.iter().any(Result::is_err) {
            *self.undone.lock() = Some(all_or_nothing(verdicts));
            return Err(Error::Conflict("an atomic push is undone".into()));
        }
        if is_first && let Some(tip) = self.adopt_default_branch(tx, repo, &verdicts).await? {
            moved.default_branch = Some((None, tip));
        }
        Ok((verdicts, moved))
    }

    /// The first branch of an empty repository becomes its default branch, unless the configured one came with it.
    /// Returns the tip of the branch that has become the default one.
    async fn adopt_default_branch(
        &self,
        tx: &mut Transaction,
        repo: &GitRepo,
        verdicts: &[Verdict],
    ) -> Result<Option<Sha>> {
        let branches: Vec<(&str, Sha)> = good_ones(&self.updates, verdicts)
            .filter_map(|change| Some((change.name.as_str().strip_prefix("refs/heads/")?, change.new?.sha)))
            .collect();
        match branches.first() {
            Some((first, tip)) if !branches.iter().any(|(name, _)| *name == repo.default_branch) => {
                repos::store::update_default_branch(tx, repo.id, first, self.now).await?;
                Ok(Some(*tip))
            }
            Some(_) | None => Ok(None),
        }
    }
}

/// What can only be judged by the repository as it is now.
fn judge(update: &Update, repo: &GitRepo) -> Verdict {
    match update {
        Ok(change) if change.new.is_none() => rules::check_deletion(&change.name, &repo.default_branch),
        Ok(_) => Ok(()),
        Err(refusal) => Err(refusal.clone()),
    }
}

fn good_ones<'a>(updates: &'a [Update], verdicts: &'a [Verdict]) -> impl Iterator<Item = &'a Change> {
    updates.iter().zip(verdicts).filter(|(_, verdict)| verdict.is_ok()).filter_map(|(update, _)| update.as_ref().ok())
}

fn all_or_nothing(verdicts: Vec<Verdict>) -> Vec<Verdict> {
    verdicts.into_iter().map(|verdict| verdict.and(Err(Refusal::Atomic))).collect()
}
