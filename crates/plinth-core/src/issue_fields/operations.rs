//! Changes of issue fields, each in one transaction. The API and the state file use the same functions.

use super::model::{IssueField, IssueFieldOption, Visibility};
use super::{IssueFieldChange, NewIssueField, OptionInput, rules, store};
use crate::Core;
use crate::access::{Org, WriteAccess};
use crate::projects::store as projects;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, IssueFieldId};
use plinth_store::Transaction;

/// A field with its options in order.
pub struct IssueFieldWithOptions {
    pub field: IssueField,
    pub options: Vec<IssueFieldOption>,
}

/// Creates an issue field of an organization.
pub async fn create(core: &Core, access: &WriteAccess<Org>, new: NewIssueField) -> Result<IssueFieldWithOptions> {
    rules::check_new(&new)?;
    let (org, now) = (access.target.0.id, core.clock.now());
    core.limiter.admit(access.caller(), access.operation(), &format!("{org} {new:?}"), now).await?;
    access.write((org, new, now), |tx, (org, new, now)| Box::pin(insert(tx, *org, new, *now))).await
}

pub async fn update(
    core: &Core,
    access: &WriteAccess<Org>,
    id: IssueFieldId,
    changes: IssueFieldChange,
) -> Result<IssueFieldWithOptions> {
    let context = (access.target.0.id, id, changes, core.clock.now());
    access.write(context, |tx, (org, id, changes, now)| Box::pin(change(tx, *org, *id, changes, *now))).await
}

pub async fn delete(core: &Core, access: &WriteAccess<Org>, id: IssueFieldId) -> Result<()> {
    let context = (access.target.0.id, id, core.clock.now());
    access.write(context, |tx, (org, id, now)| Box::pin(remove(tx, *org, *id, *now))).await
}

pub async fn insert(
    tx: &mut Transaction,
    org: AccountId,
    new: &NewIssueField,
    now: Timestamp,
) -> Result<IssueFieldWithOptions> {
    rules::check_count(store::count(tx, org).await?)?;
    let id = store::insert(tx, org, new, now).await?;
    if new.data_type.is_select() {
        replace_options(tx, id, &[], new.options.as_deref().unwrap_or_default(), now).await?;
    }
    store::increase_generation(tx, org).await?;
    get(tx, org, id).await
}

/// Also updates the mirrors in projects, in the same transaction.
pub async fn change(
    tx: &mut Transaction,
    org: AccountId,
    id: IssueFieldId,
    change: &IssueFieldChange,
    now: Timestamp,
) -> Result<IssueFieldWithOptions> {
    let before = get(tx, org, id).await?;
    rules::check_change(change, before.field.data_type, &before.options)?;
    let mut field = changed(&before.field, change);
    let replaced = match &change.options {
        Some(wanted) if field.data_type.is_select() => replace_options(tx, id, &before.options, wanted, now).await?,
        Some(_) | None => false,
    };
    if field == before.field && !replaced {
        return Ok(before);
    }
    let narrows = before.field.visibility == Visibility::All && field.visibility != Visibility::All;
    if narrows && projects::has_public_mirror(tx, id).await? {
        return Err(rules::shown_in_public());
    }
    field.updated_at = now;
    store::update(tx, &field).await?;
    projects::rename_mirrors(tx, id, &field.name, now, rules::name_taken).await?;
    store::increase_generation(tx, org).await?;
    get(tx, org, id).await
}

pub async fn remove(tx: &mut Transaction, org: AccountId, id: IssueFieldId, now: Timestamp) -> Result<()> {
    get(tx, org, id).await?;
    projects::mark_mirrors_changed(tx, id, now).await?;
    store::delete(tx, id).await?;
    Ok(store::increase_generation(tx, org).await?)
}

/// A field of this organization with its options.
pub async fn get(tx: &mut Transaction, org: AccountId, id: IssueFieldId) -> Result<IssueFieldWithOptions> {
    let field = store::find(tx, org, id).await?.ok_or(Error::NotFound)?;
    let options = if field.data_type.is_select() { store::list_options_of(tx, id).await? } else { Vec::new() };
    Ok(IssueFieldWithOptions { field, options })
}

fn changed(before: &IssueField, change: &IssueFieldChange) -> IssueField {
    let mut field = before.clone();
    if let Some(name) = &change.name {
        field.name = name.trim().to_owned();
    }
    if let Some(description) = &change.description {
        field.description.clone_from(description);
    }
    if let Some(visibility) = change.visibility {
        field.visibility = visibility;
    }
    field
}

/// Replaces the options, and returns whether anything changed.
async fn replace_options(
    tx: &mut Transaction,
    field: IssueFieldId,
    existing: &[IssueFieldOption],
    wanted: &[OptionInput],
    now: Timestamp,
) -> Result<bool> {
    let planned = rules::replacement(existing, wanted);
    for id in &planned.deleted {
        store::delete_option(tx, *id).await?;
    }
    for (id, option, priority) in &planned.updated {
        store::update_option(tx, *id, option, *priority, now).await?;
    }
    for (option, priority) in &planned.inserted {
        store::insert_option(tx, field, option, *priority, now).await?;
    }
    Ok(!planned.is_empty())
}
