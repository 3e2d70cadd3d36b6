//! Changes of labels, each in one transaction, apart from the deletion of a label that many issues have.

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, RepoId};
use plinth_store::Transaction;

use super::{Label, LabelChange, NewLabel, events, rules, store};
use crate::Core;
use crate::access::WriteAccess;
use crate::repos::RepoTarget;

pub async fn create(core: &Core, access: &WriteAccess<RepoTarget>, new: NewLabel) -> Result<Label> {
    rules::check_new(&new)?;
    let now = core.clock.now();
    core.limiter.admit(access.caller(), access.operation(), &new.name, now).await?;
    let context = (access.repo.id, new, (access.caller().actor(), now));
    access.write(context, |tx, (repo, new, by)| Box::pin(insert(tx, *repo, new, *by))).await
}

pub async fn update(core: &Core, access: &WriteAccess<RepoTarget>, name: String, change: LabelChange) -> Result<Label> {
    rules::check_change(&change)?;
    let context = (access.repo.id, name, change, (access.caller().actor(), core.clock.now()));
    access.write(context, |tx, (repo, name, change, by)| Box::pin(edit(tx, *repo, name, change, *by))).await
}

/// Issues from which a label is removed in one transaction, so that other writers do not wait long.
const ISSUES_PER_TRANSACTION: i64 = 5_000;

/// Deletes a label. If many issues have it, they lose it in several transactions, and it is deleted in the last one.
pub async fn delete(core: &Core, access: &WriteAccess<RepoTarget>, name: String) -> Result<()> {
    let by = (access.caller().actor(), core.clock.now());
    loop {
        let context = (access.repo.id, name.clone(), by);
        let write = access.write(context, |tx, (repo, name, by)| Box::pin(remove_or_detach(tx, *repo, name, *by)));
        match write.await? {
            Progress::Done => return Ok(()),
            Progress::More => {}
        }
    }
}

enum Progress {
    Done,
    More,
}

pub async fn insert(
    tx: &mut Transaction,
    repo: RepoId,
    new: &NewLabel,
    by: (Option<AccountId>, Timestamp),
) -> Result<Label> {
    store::insert(tx, repo, new).await?;
    let label = get(tx, repo, &new.name).await?;
    events::record(tx, "created", (&label, None), by).await?;
    Ok(label)
}

/// The label of this name, created if there is none.
pub async fn find_or_insert(
    tx: &mut Transaction,
    repo: RepoId,
    wanted: &NewLabel,
    by: (Option<AccountId>, Timestamp),
) -> Result<Label> {
    match store::find(tx, repo, &wanted.name).await? {
        Some(label) => Ok(label),
        None => insert(tx, repo, wanted, by).await,
    }
}

/// Changes a label, and returns it.
pub async fn edit(
    tx: &mut Transaction,
    repo: RepoId,
    name: &str,
    change: &LabelChange,
    by: (Option<AccountId>, Timestamp),
) -> Result<Label> {
    let before = get(tx, repo, name).await?;
    let mut label = before.clone();
    if let Some(name) = &change.new_name {
        name.trim().clone_into(&mut label.name);
    }
    if let Some(color) = &change.color {
        label.color = color.to_ascii_lowercase();
    }
    if let Some(description) = &change.description {
        label.description = description.clone().filter(|text| !text.is_empty());
    }
    if label != before {
        store::update(tx, &label).await?;
        events::record(tx, "edited", (&label, Some(&before)), by).await?;
    }
    Ok(label)
}

/// Deletes a label that few issues have, and removes other labels from some issues.
async fn remove_or_detach(
    tx: &mut Transaction,
    repo: RepoId,
    name: &str,
    by: (Option<AccountId>, Timestamp),
) -> Result<Progress> {
    let label = get(tx, repo, name).await?;
    if store::has_more_issues(tx, label.id, ISSUES_PER_TRANSACTION).await? {
        store::detach(tx, label.id, ISSUES_PER_TRANSACTION).await?;
        return Ok(Progress::More);
    }
    store::delete(tx, label.id).await?;
    events::record(tx, "deleted", (&label, None), by).await?;
    Ok(Progress::Done)
}

async fn get(tx: &mut Transaction, repo: RepoId, name: &str) -> Result<Label> {
    store::find(tx, repo, name).await?.ok_or(Error::NotFound)
}
