//! The transactions in which the names of a push change: one, unless there are very many names.

use parking_lot::Mutex;

use super::judgement::Update;
use super::model::GitRepo;
use super::push::Pusher;
use super::report::Verdict;
use super::rules::{self, Refusal};
use crate::api::access::{Current, check_workflows};
use crate::app::App;
use crate::clock::Timestamp;
use crate::db::Transaction;
use crate::error::{Error, Result};
use crate::pulls::{self, Moved};
use crate::refs::{self, Change};
use crate::repos;

/// Updates of one transaction. More of them are made in several, so that nobody waits long to write.
const TRANSACTION_UPDATES_MAX: usize = 250;
/// Updates of an all-or-nothing push, which cannot be divided.
const ATOMIC_UPDATES_MAX: usize = 1_000;

/// Makes the updates that are good, or all or none of them, and tells what became of each.
pub async fn apply(app: &App, pusher: Pusher, updates: Vec<Update>, atomic: bool) -> Result<Vec<Verdict>> {
    if atomic && updates.len() > ATOMIC_UPDATES_MAX {
        return Ok(vec![Err(Refusal::TooManyAtomic(ATOMIC_UPDATES_MAX)); updates.len()]);
    }
    if atomic || updates.len() <= TRANSACTION_UPDATES_MAX {
        return apply_together(app, pusher, updates, atomic).await;
    }
    let mut verdicts: Vec<Verdict> = vec![Err(Refusal::Stopped); updates.len()];
    for (number, batch) in in_order(&updates, &pusher.repo.default_branch).chunks(TRANSACTION_UPDATES_MAX).enumerate() {
        let together = batch.iter().map(|index| updates[*index].clone()).collect();
        match apply_together(app, pusher.clone(), together, false).await {
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

async fn apply_together(app: &App, pusher: Pusher, updates: Vec<Update>, atomic: bool) -> Result<Vec<Verdict>> {
    let work = Work { pusher, updates, atomic, now: app.clock.now(), undone: Mutex::default() };
    let work = std::sync::Arc::new(work);
    let applied =
        work.pusher.write_current(&app.store, work.clone(), |tx, current, work| Box::pin(work.run(tx, current))).await;
    match (applied, work.undone.lock().take()) {
        (Err(Error::Conflict(_)), Some(verdicts)) => Ok(verdicts),
        (applied, _) => applied.map(|(verdicts, moved)| {
            pulls::follow(app, work.pusher.repo.id, moved);
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
        Current { target: repo, caller, reach }: &Current<GitRepo>,
    ) -> Result<(Vec<Verdict>, Moved)> {
        if check_workflows(self.pusher.caller(), &self.pusher.reach).is_ok() {
            // The updates were judged by a right that may have gone since.
            check_workflows(caller, reach)?;
        }
        let mut verdicts: Vec<Verdict> = self.updates.iter().map(|update| judge(update, repo)).collect();
        if self.atomic && verdicts.iter().any(Result::is_err) {
            return Ok((all_or_nothing(verdicts), Moved::default()));
        }
        let is_first = !refs::store::has_branches(tx, repo.id).await?;
        let changes: Vec<Change> = good_ones(&self.updates, &verdicts).cloned().collect();
        let outcomes = refs::apply(tx, repo.id, &changes, self.now).await?;
        let open = verdicts.iter_mut().filter(|verdict| verdict.is_ok());
        open.zip(outcomes).for_each(|(verdict, outcome)| *verdict = outcome.map_err(Refusal::from));
        if self.atomic && verdicts.iter().any(Result::is_err) {
            *self.undone.lock() = Some(all_or_nothing(verdicts));
            return Err(Error::Conflict("an atomic push is undone".into()));
        }
        if is_first {
            self.adopt_default_branch(tx, repo, &verdicts).await?;
        }
        let made: Vec<Change> = good_ones(&self.updates, &verdicts).cloned().collect();
        let moved = pulls::refs_moved(tx, repo.id, &made, self.now).await?;
        Ok((verdicts, moved))
    }

    /// The first branch of an empty repository becomes its default branch, unless the configured one came with it.
    async fn adopt_default_branch(&self, tx: &mut Transaction, repo: &GitRepo, verdicts: &[Verdict]) -> Result<()> {
        let branches: Vec<&str> = good_ones(&self.updates, verdicts)
            .filter(|change| change.new.is_some())
            .filter_map(|change| change.name.as_str().strip_prefix("refs/heads/"))
            .collect();
        match branches.first() {
            Some(first) if !branches.contains(&repo.default_branch.as_str()) => {
                Ok(repos::store::update_default_branch(tx, repo.id, first, self.now).await?)
            }
            Some(_) | None => Ok(()),
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
