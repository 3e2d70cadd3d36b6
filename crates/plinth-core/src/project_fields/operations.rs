//! Adding project fields, each in one transaction. The API and the state file use the same functions.

use super::model::{Contents, DataType, ProjectField, part_id};
use super::store::{self, NewRow};
use super::{NewField, NewIterations, NewOption, OwnField, OwnKind, rules};
use crate::Core;
use crate::access::{Current, Grant, Target, WriteAccess, check_issue_fields};
use crate::accounts::AccountKind;
use crate::issue_fields;
use crate::projects::{self, Color, Project};
use crate::tokens::Principal;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, IssueFieldId, ProjectFieldId, ProjectId};
use plinth_store::Transaction;

/// The ids of a project and of its owner.
#[derive(Debug, Clone, Copy)]
pub struct ProjectKey {
    pub project: ProjectId,
    pub owner: AccountId,
}

/// A field with its options or iterations.
pub struct ProjectFieldWithContents {
    pub field: ProjectField,
    pub contents: Contents,
}

/// Adds a field to a project.
pub async fn add<T: Target + AsRef<Project>>(
    core: &Core,
    access: &WriteAccess<T>,
    new: NewField,
) -> Result<ProjectFieldWithContents> {
    let (project, now) = (access.target.as_ref(), core.clock.now());
    check_rights(&new, access.caller(), &access.grant)?;
    rules::check_new(&new)?;
    core.limiter.admit(access.caller(), access.operation(), &format!("{} {new:?}", project.id), now).await?;
    let key = ProjectKey { project: project.id, owner: project.owner_id };
    access
        .write_if_current((key, new, now), |tx, changed, (key, new, now)| {
            Box::pin(async move {
                if let Some(Current { caller, grant, .. }) = changed {
                    check_rights(new, caller, grant)?;
                }
                insert(tx, *key, new, *now).await
            })
        })
        .await
}

/// A mirror shows the issue field, so the caller must be allowed to read issue fields.
fn check_rights(new: &NewField, caller: &Principal, grant: &Grant) -> Result<()> {
    match new {
        NewField::FromIssueField { .. } => check_issue_fields(caller, grant),
        NewField::Own(_) => Ok(()),
    }
}

pub async fn insert(
    tx: &mut Transaction,
    key: ProjectKey,
    new: &NewField,
    now: Timestamp,
) -> Result<ProjectFieldWithContents> {
    if projects::store::mark_changed(tx, key.project, now).await? == 0 {
        return Err(Error::NotFound);
    }
    rules::check_count(store::count(tx, key.project).await?)?;
    let id = match new {
        NewField::FromIssueField { id, name, data_type } => {
            add_mirror(tx, key, *id, name.as_deref(), data_type.as_deref(), now).await?
        }
        NewField::Own(own) => add_own(tx, key.project, own, now).await?,
    };
    let field = store::find(tx, key.project, id).await?;
    let field = field.ok_or_else(|| Error::internal("a field that was just stored is missing"))?;
    let contents = store::find_contents(tx, std::slice::from_ref(&field)).await?;
    Ok(ProjectFieldWithContents { field, contents })
}

/// Adds a mirror, which has name, type and options of an issue field of the project's owner.
async fn add_mirror(
    tx: &mut Transaction,
    key: ProjectKey,
    id: IssueFieldId,
    name: Option<&str>,
    data_type: Option<&str>,
    now: Timestamp,
) -> Result<ProjectFieldId> {
    let found = issue_fields::store::find(tx, key.owner, id).await?;
    let issue_field = found.ok_or_else(rules::issue_field_missing)?;
    let project = projects::store::find_by_id(tx, key.project, None).await?.ok_or(Error::NotFound)?.project;
    rules::check_shown_to_members(&issue_field, project.public)?;
    rules::check_agrees(&issue_field, name, data_type)?;
    let data_type = rules::mirror_type(issue_field.data_type)?;
    rules::check_not_mirrored(store::find_mirror(tx, key.project, id).await?.is_some())?;
    check_name(tx, key.project, &issue_field.name).await?;
    let row = NewRow { issue_field: Some(id), ..NewRow::plain(&issue_field.name, data_type) };
    store::insert(tx, key.project, &row, now).await
}

async fn add_own(tx: &mut Transaction, project: ProjectId, own: &OwnField, now: Timestamp) -> Result<ProjectFieldId> {
    check_name(tx, project, &own.name).await?;
    let plain = NewRow::plain(&own.name, own.data_type());
    match &own.kind {
        OwnKind::Text | OwnKind::Number | OwnKind::Date => store::insert(tx, project, &plain, now).await,
        OwnKind::SingleSelect(options) => {
            let id = store::insert(tx, project, &plain, now).await?;
            for (position, option) in (0..).zip(options) {
                store::insert_option(tx, id, position, &part_id(id, position), option).await?;
            }
            Ok(id)
        }
        OwnKind::Iteration(configuration) => add_iterations(tx, project, plain, configuration, now).await,
    }
}

async fn add_iterations(
    tx: &mut Transaction,
    project: ProjectId,
    plain: NewRow<'_>,
    configuration: &NewIterations,
    now: Timestamp,
) -> Result<ProjectFieldId> {
    let row = NewRow {
        iteration_start_day: Some(configuration.start_date.weekday()),
        iteration_duration: Some(configuration.duration),
        ..plain
    };
    let id = store::insert(tx, project, &row, now).await?;
    for (position, iteration) in (0..).zip(&configuration.iterations) {
        store::insert_iteration(tx, id, position, iteration).await?;
    }
    projects::store::mark_iterating(tx, project).await?;
    Ok(id)
}

async fn check_name(tx: &mut Transaction, project: ProjectId, name: &str) -> Result<()> {
    rules::check_free(store::find_by_name(tx, project, name).await?.is_some())?;
    rules::check_not_reserved(name)
}

/// The options of the Status field, with the same ids in every new project.
const STATUS: [(&str, &str, &str, Color); 3] = [
    ("f75ad846", "Todo", "This item hasn't been started", Color::Green),
    ("47fc9ee4", "In Progress", "This is actively being worked on", Color::Yellow),
    ("98236657", "Done", "This has been completed", Color::Purple),
];

/// Adds the fields of a new project, in order.
pub async fn add_defaults(tx: &mut Transaction, project: ProjectId, owner: AccountKind, now: Timestamp) -> Result<()> {
    let issue_type = match owner {
        AccountKind::Organization => Some(("Type", DataType::IssueType)),
        AccountKind::User | AccountKind::Bot => None,
    };
    let first = [
        ("Title", DataType::Title),
        ("Assignees", DataType::Assignees),
        ("Status", DataType::SingleSelect),
        ("Labels", DataType::Labels),
        ("Linked pull requests", DataType::LinkedPullRequests),
        ("Milestone", DataType::Milestone),
        ("Repository", DataType::Repository),
    ];
    let last = [
        ("Reviewers", DataType::Reviewers),
        ("Parent issue", DataType::ParentIssue),
        ("Sub-issues progress", DataType::SubIssuesProgress),
    ];
    for (name, data_type) in first.into_iter().chain(issue_type).chain(last) {
        let id = store::insert(tx, project, &NewRow::plain(name, data_type), now).await?;
        if data_type == DataType::SingleSelect {
            add_status_options(tx, id).await?;
        }
    }
    Ok(())
}

async fn add_status_options(tx: &mut Transaction, status: ProjectFieldId) -> Result<()> {
    for (position, (option_id, name, description, color)) in (0..).zip(STATUS) {
        let option = NewOption { name: name.into(), color, description: description.into() };
        store::insert_option(tx, status, position, option_id, &option).await?;
    }
    Ok(())
}
