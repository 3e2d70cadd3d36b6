//! The one transaction in which the names of a push change.

use parking_lot::Mutex;

use super::judgement::Update;
use super::model::GitRepo;
use super::push::Pusher;
use super::report::Verdict;
use super::rules::{self, Refusal};
use crate::api::access::check_workflows;
use crate::app::App;
use crate::clock::Timestamp;
use crate::db::Connection;
use crate::error::{Error, Result};
use crate::pulls::{self, Moved};
use crate::refs::{self, Change};
use crate::repos;

/// Makes the updates that are good, or all or none of them, and tells what became of each.
pub async fn apply(app: &App, pusher: Pusher, updates: Vec<Update>, atomic: bool) -> Result<Vec<Verdict>> {
    let work = Work { pusher, updates, atomic, now: app.clock.now(), undone: Mutex::default() };
    let work = std::sync::Arc::new(work);
    let applied = app.store.write(work.clone(), |tx, work| Box::pin(work.run(tx))).await;
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
    async fn run(&self, tx: &mut Connection) -> Result<(Vec<Verdict>, Moved)> {
        let (repo, caller, reach) = self.pusher.recheck().ask_for_reach(tx).await?;
        if check_workflows(self.pusher.caller(), &self.pusher.reach).is_ok() {
            // The updates were judged by a right that may have gone since.
            check_workflows(&caller, &reach)?;
        }
        let mut verdicts: Vec<Verdict> = self.updates.iter().map(|update| judge(update, &repo)).collect();
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
            self.adopt_default_branch(tx, &repo, &verdicts).await?;
        }
        let made: Vec<Change> = good_ones(&self.updates, &verdicts).cloned().collect();
        let moved = pulls::refs_moved(tx, repo.id, &made, self.now).await?;
        Ok((verdicts, moved))
    }

    /// The first branch of an empty repository becomes its default branch, unless the configured one came with it.
    async fn adopt_default_branch(&self, tx: &mut Connection, repo: &GitRepo, verdicts: &[Verdict]) -> Result<()> {
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
