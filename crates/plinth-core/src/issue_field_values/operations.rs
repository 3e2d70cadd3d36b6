//! Changes of the values of issue fields, each in one transaction.

use plinth_base::error::{Error, Result};
use plinth_base::ids::{IssueFieldId, IssueId};
use plinth_store::Transaction;

use super::rules::Checked;
use super::{FieldValue, NewFieldValue, rules, store};
use crate::Core;
use crate::access::WriteAccess;
use crate::accounts::AccountKind;
use crate::conversations::{self, Conversation};
use crate::issue_fields;
use crate::repos::{Repo, RepoTarget};

/// Which of the existing values are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaced {
    /// Those of the same fields.
    Same,
    All,
}

/// Sets values and leaves those of other fields as they are. An empty list clears all, as on GitHub.
pub async fn add(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    of: Conversation,
    values: Vec<NewFieldValue>,
) -> Result<Vec<FieldValue>> {
    let replaced = if values.is_empty() { Replaced::All } else { Replaced::Same };
    write(core, access, of, (values, replaced)).await
}

/// Replaces all values.
pub async fn set(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    of: Conversation,
    values: Vec<NewFieldValue>,
) -> Result<Vec<FieldValue>> {
    write(core, access, of, (values, Replaced::All)).await
}

async fn write(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    of: Conversation,
    wanted: (Vec<NewFieldValue>, Replaced),
) -> Result<Vec<FieldValue>> {
    let context = (access.repo.clone(), of, wanted, core.clock.now());
    access
        .write(context, |tx, (repo, of, (values, replaced), now)| {
            Box::pin(async move {
                if change(tx, repo, of.id, (values, *replaced)).await? {
                    conversations::store::update_time(tx, of, *now).await?;
                }
                Ok(store::list_of_one(tx, of.id).await?)
            })
        })
        .await
}

pub async fn delete(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    of: Conversation,
    field: IssueFieldId,
) -> Result<()> {
    let context = (of, field, core.clock.now());
    access
        .write(context, |tx, (of, field, now)| {
            Box::pin(async move {
                if !store::delete(tx, of.id, *field).await? {
                    return Err(Error::NotFound);
                }
                Ok(conversations::store::update_time(tx, of, *now).await?)
            })
        })
        .await
}

/// Sets the values of an issue, and returns whether anything changed. Only organizations have fields.
pub async fn change(
    tx: &mut Transaction,
    repo: &Repo,
    issue: IssueId,
    (wanted, replaced): (&[NewFieldValue], Replaced),
) -> Result<bool> {
    if wanted.is_empty() && replaced == Replaced::Same {
        return Ok(false);
    }
    let before = store::list_of_one(tx, issue).await?;
    for new in wanted {
        set_one(tx, repo, issue, new).await?;
    }
    if replaced == Replaced::All {
        let is_left = |value: &&FieldValue| !wanted.iter().any(|new| new.field == value.field);
        for value in before.iter().filter(is_left) {
            store::delete(tx, issue, value.field).await?;
        }
    }
    Ok(store::list_of_one(tx, issue).await? != before)
}

async fn set_one(tx: &mut Transaction, repo: &Repo, issue: IssueId, new: &NewFieldValue) -> Result<()> {
    if repo.owner_kind != AccountKind::Organization {
        return Err(rules::no_such_field(new));
    }
    let found = match issue_fields::operations::get(tx, repo.owner_id, new.field).await {
        Err(Error::NotFound) => return Err(rules::no_such_field(new)),
        found => found?,
    };
    match rules::check(&found.field, &found.options, new)? {
        Checked::Text(text) => store::upsert(tx, issue, new.field, Some(&text)).await?,
        Checked::Options(options) if options.is_empty() => drop(store::delete(tx, issue, new.field).await?),
        Checked::Options(options) => {
            store::delete_options(tx, issue, new.field).await?;
            store::upsert(tx, issue, new.field, None).await?;
            for option in options {
                store::insert_option(tx, issue, option).await?;
            }
        }
    }
    Ok(())
}
