//! Labels of issues and pull requests, each operation in one transaction.

use std::collections::BTreeSet;

use plinth_base::error::{Error, Result};
use plinth_base::ids::LabelId;
use plinth_store::Transaction;

use super::events::{self, By};
use super::rules;
use crate::Core;
use crate::access::WriteAccess;
use crate::conversations::{self, Conversation};
use crate::labels::{self, Label, NewLabel};
use crate::repos::RepoTarget;

/// Adds labels, which are created if they do not exist, and returns all.
pub async fn add_labels(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    of: Conversation,
    added: Vec<NewLabel>,
) -> Result<Vec<Label>> {
    rules::check_label_names(&added)?;
    rules::check_label_count(added.len())?;
    let context = (of, added, (access.caller().actor(), core.clock.now()));
    access
        .write(context, |tx, (of, added, by)| {
            Box::pin(async move {
                change(tx, of, added, Rest::Stays, *by).await?;
                Ok(labels::store::list_of_one(tx, of.id).await?)
            })
        })
        .await
}

/// Replaces all labels, and returns them.
pub async fn set_labels(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    of: Conversation,
    wanted: Vec<NewLabel>,
) -> Result<Vec<Label>> {
    rules::check_label_names(&wanted)?;
    rules::check_label_count(wanted.len())?;
    let context = (of, wanted, (access.caller().actor(), core.clock.now()));
    access
        .write(context, |tx, (of, wanted, by)| {
            Box::pin(async move {
                change(tx, of, wanted, Rest::IsRemoved, *by).await?;
                Ok(labels::store::list_of_one(tx, of.id).await?)
            })
        })
        .await
}

/// Removes all labels.
pub async fn remove_all_labels(core: &Core, access: &WriteAccess<RepoTarget>, of: Conversation) -> Result<()> {
    set_labels(core, access, of, Vec::new()).await.map(drop)
}

/// Removes a label, and returns those that are left.
pub async fn remove_label(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    of: Conversation,
    name: String,
) -> Result<Vec<Label>> {
    let context = (of, name, (access.caller().actor(), core.clock.now()));
    access.write(context, |tx, (of, name, by)| Box::pin(remove_one(tx, of, name, *by))).await
}

async fn remove_one(tx: &mut Transaction, of: &Conversation, name: &str, by: By) -> Result<Vec<Label>> {
    let label = labels::store::find(tx, of.repo_id, name).await?.ok_or_else(no_such_label)?;
    if !labels::store::remove(tx, of.id, label.id).await? {
        return Err(no_such_label());
    }
    conversations::store::update_time(tx, of, by.1).await?;
    events::record_label(tx, of, ("unlabeled", &label), by).await?;
    Ok(labels::store::list_of_one(tx, of.id).await?)
}

fn no_such_label() -> Error {
    Error::Missing("Label does not exist")
}

/// What happens to labels that are not named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    Stays,
    IsRemoved,
}

/// Adds labels, and removes the others if wanted. Returns whether anything changed.
pub(super) async fn change(
    tx: &mut Transaction,
    of: &Conversation,
    wanted: &[NewLabel],
    rest: Rest,
    by: By,
) -> Result<bool> {
    let before = labels::store::list_of_one(tx, of.id).await?;
    let had: BTreeSet<LabelId> = before.iter().map(|label| label.id).collect();
    let (mut named, mut added) = (BTreeSet::new(), Vec::new());
    for wanted in wanted {
        let label = labels::operations::find_or_insert(tx, of.repo_id, wanted, by).await?;
        if named.insert(label.id) && !had.contains(&label.id) {
            labels::store::add(tx, of.id, label.id).await?;
            added.push(label);
        }
    }
    let removed: Vec<Label> = match rest {
        Rest::Stays => Vec::new(),
        Rest::IsRemoved => before.into_iter().filter(|label| !named.contains(&label.id)).collect(),
    };
    rules::check_label_count(had.len() + added.len() - removed.len())?;
    for label in &removed {
        labels::store::remove(tx, of.id, label.id).await?;
    }
    if added.is_empty() && removed.is_empty() {
        return Ok(false);
    }
    conversations::store::update_time(tx, of, by.1).await?;
    for label in &added {
        events::record_label(tx, of, ("labeled", label), by).await?;
    }
    for label in &removed {
        events::record_label(tx, of, ("unlabeled", label), by).await?;
    }
    Ok(true)
}
