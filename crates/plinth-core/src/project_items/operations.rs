//! Changes of project items, each in one transaction. The API and the state file use the same functions.

use std::collections::HashMap;

use super::{Content, ContentKind, ContentRepo, FieldChange, NewItem, ProjectItem, events, rules, store};
use crate::Core;
use crate::access::{Target, WriteAccess};
use crate::project_fields;
use crate::project_fields::model::{Contents, ProjectField};
use crate::projects::{self, Project};
use crate::tokens::Principal;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, IssueId, ProjectFieldId, ProjectItemId, PullId, RepoId};
use plinth_store::{Connection, DbError, Transaction};

/// Who makes a change, and when.
pub type By = (Option<AccountId>, Timestamp);

/// Adds an issue or a pull request that the caller may read. If the project has it already, returns the item.
pub async fn add<T: Target + AsRef<Project>>(
    core: &Core,
    access: &WriteAccess<T>,
    new: NewItem,
) -> Result<ProjectItem> {
    let (project, now) = (access.target.as_ref().clone(), core.clock.now());
    core.limiter.admit(access.caller(), access.operation(), &format!("{} {new:?}", project.id), now).await?;
    let context = (project, access.principal(), new, now);
    access
        .write_if_current(context, |tx, changed, (project, caller, new, now)| {
            Box::pin(async move {
                let caller = changed.as_ref().map_or(caller, |current| &current.caller);
                lock(tx, project).await?;
                let content = find_content(tx, new).await?;
                let repo = content.map_or(RepoId(0), |content| content.repo);
                let readable = ContentRepo::find(tx, repo, caller).await?;
                let content = content.filter(|content| readable.is_some_and(|repo| repo.shows(content, caller)));
                let content = content.ok_or(Error::NotFound)?;
                Ok(insert(tx, project, &content, (caller.actor(), *now)).await?.0)
            })
        })
        .await
}

/// Sets and clears values, and returns the item.
pub async fn update<T: Target + AsRef<Project>>(
    core: &Core,
    access: &WriteAccess<T>,
    id: ProjectItemId,
    changes: Vec<FieldChange>,
) -> Result<ProjectItem> {
    let context = (access.target.as_ref().clone(), access.principal(), (id, changes), core.clock.now());
    access
        .write_if_current(context, |tx, changed, (project, caller, (id, changes), now)| {
            Box::pin(async move {
                let caller = changed.as_ref().map_or(caller, |current| &current.caller);
                lock(tx, project).await?;
                let item = store::find(tx, project.id, *id).await?.ok_or(Error::NotFound)?;
                check_readable(tx, &item, caller).await?;
                set_values(tx, project, &item, changes, (caller.actor(), *now)).await?;
                store::find(tx, project.id, *id).await?.ok_or(Error::NotFound)
            })
        })
        .await
}

/// Removes an item from its project, also one whose content the caller may not read.
pub async fn delete<T: Target + AsRef<Project>>(core: &Core, access: &WriteAccess<T>, id: ProjectItemId) -> Result<()> {
    let by = (access.caller().actor(), core.clock.now());
    access
        .write((access.target.as_ref().clone(), id, by), |tx, (project, id, by)| {
            Box::pin(async move {
                lock(tx, project).await?;
                let item = store::find(tx, project.id, *id).await?.ok_or(Error::NotFound)?;
                store::delete(tx, item.id).await?;
                projects::store::update_time(tx, project.id, by.1).await?;
                events::record_deleted(tx, project, item, *by).await
            })
        })
        .await
}

/// Adds an item, unless the project has it already, and returns whether it is new.
pub async fn insert(tx: &mut Transaction, project: &Project, content: &Content, by: By) -> Result<(ProjectItem, bool)> {
    if let Some(item) = store::find_of(tx, project.id, content).await? {
        return Ok((item, false));
    }
    rules::check_count(store::count(tx, project.id).await?)?;
    store::insert(tx, project.id, content, by.0, by.1).await?;
    projects::store::update_time(tx, project.id, by.1).await?;
    let item = store::find_of(tx, project.id, content).await?;
    let item = item.ok_or_else(|| Error::internal("an item that was just stored is missing"))?;
    events::record_created(tx, project, item.clone(), by).await?;
    Ok((item, true))
}

/// Sets and clears values of an item, and returns whether anything changed.
pub async fn set_values(
    tx: &mut Transaction,
    project: &Project,
    item: &ProjectItem,
    changes: &[FieldChange],
    by: By,
) -> Result<bool> {
    let (fields, contents) = find_fields(tx, project).await?;
    let values = store::list_values(tx, std::iter::once(item.id)).await?.remove(&item.id).unwrap_or_default();
    let mut current: HashMap<_, _> = values.into_iter().map(|value| (value.field, value.text)).collect();
    let mut changed = Vec::new();
    for (field, text) in rules::check_values(&fields, &contents, changes)? {
        let before = current.remove(&field);
        if before != text {
            set_value(tx, item.id, field, text.as_deref()).await?;
            changed.push((field, before, text.clone()));
        }
        current.extend(text.map(|text| (field, text)));
    }
    if changed.is_empty() {
        return Ok(false);
    }
    store::update_time(tx, item.id, by.1).await?;
    projects::store::update_time(tx, project.id, by.1).await?;
    let item = ProjectItem { updated_at: by.1, ..item.clone() };
    for (field, before, after) in &changed {
        let change = events::ValueChange::new(&fields, &contents, *field, (before.as_deref(), after.as_deref()));
        events::record_edited(tx, project, (&item, change), by).await?;
    }
    Ok(true)
}

async fn set_value(
    tx: &mut Transaction,
    item: ProjectItemId,
    field: ProjectFieldId,
    text: Option<&str>,
) -> Result<(), DbError> {
    match text {
        Some(text) => store::upsert_value(tx, item, field, text).await,
        None => store::delete_value(tx, item, field).await,
    }
}

/// All fields of a project, which are few.
pub async fn find_fields(db: &mut Connection, project: &Project) -> Result<(Vec<ProjectField>, Contents)> {
    let fields = project_fields::store::list_after(db, project.id, 0, project_fields::rules::FIELDS_MAX).await?;
    let contents = project_fields::store::find_contents(db, &fields).await?;
    Ok((fields, contents))
}

async fn lock(tx: &mut Transaction, project: &Project) -> Result<()> {
    if projects::store::lock(tx, project.id).await? == 0 {
        return Err(Error::NotFound);
    }
    Ok(())
}

async fn find_content(db: &mut Connection, new: &NewItem) -> Result<Option<Content>> {
    let (kind, found) = match new {
        NewItem::ById { kind: kind @ ContentKind::Issue, id } => (kind, store::find_issue(db, IssueId(*id)).await?),
        NewItem::ById { kind: kind @ ContentKind::PullRequest, id } => (kind, store::find_pull(db, PullId(*id)).await?),
        NewItem::ByNumber { kind, owner, repo, number } => (kind, store::find_at(db, (owner, repo), *number).await?),
    };
    Ok(found.filter(|content| content.kind() == *kind))
}

async fn check_readable(db: &mut Connection, item: &ProjectItem, caller: &Principal) -> Result<()> {
    let repo = ContentRepo::find(db, item.content.repo, caller).await?;
    if repo.is_some_and(|repo| repo.shows(&item.content, caller)) { Ok(()) } else { Err(rules::hidden_content()) }
}
