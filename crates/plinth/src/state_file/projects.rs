//! Projects of a state file, with the fields that they have besides the built-in ones.

use std::collections::HashMap;

use serde_json::{Map, Value};
use serde_saphyr::Spanned;

use super::accounts::{find_account, find_user};
use super::file::Project;
use super::name::problem;
use super::report::{Effect, Report};
use plinth_api::request::shape;
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::{AccountId, ProjectId};
use plinth_core::accounts::Account;
use plinth_core::issue_fields;
use plinth_core::project_fields::model::ProjectField;
use plinth_core::project_fields::operations::{self, ProjectKey};
use plinth_core::project_fields::{self, NewField, OwnField, rules};
use plinth_core::projects::store::{self, NewProject, ProjectWithRole};
use plinth_core::projects::{self, text};
use plinth_store::Transaction;

const FIELDS: &str = "projects.fields";

/// The projects of an owner are numbered in the order of the file. Each entry updates the project of its number. Returns
/// the ids of the projects.
pub async fn apply(
    tx: &mut Transaction,
    wanted: &[Project],
    now: Timestamp,
    report: &mut Report,
) -> Result<Vec<ProjectId>> {
    let mut ids = Vec::with_capacity(wanted.len());
    let mut numbers: HashMap<AccountId, i64> = HashMap::new();
    for project in wanted {
        let owner = find_account(tx, &project.owner, "projects.owner").await?;
        let number = numbers.entry(owner.id).and_modify(|number| *number += 1).or_insert(1);
        let key = apply_one(tx, project, &owner, *number, now, report).await?;
        for field in &project.fields {
            apply_field(tx, key, field, now, report).await?;
        }
        ids.push(key.project);
    }
    Ok(ids)
}

async fn apply_one(
    tx: &mut Transaction,
    project: &Project,
    owner: &Account,
    number: i64,
    now: Timestamp,
    report: &mut Report,
) -> Result<ProjectKey> {
    text::check_name(&project.title.value).map_err(|error| problem(&project.title, "projects.title", error))?;
    let creator = match &project.creator {
        Some(login) => Some(find_user(tx, login, "projects.creator").await?.id),
        None => None,
    };
    let new = NewProject {
        owner: owner.id,
        creator,
        title: project.title.value.trim(),
        short_description: project.short_description.as_deref(),
        public: project.public,
    };
    let (id, effect) = match store::find(tx, &owner.login, owner.kind, number, None).await? {
        None => {
            let id = projects::operations::insert(tx, &new, number, now).await?;
            operations::add_defaults(tx, id, owner.kind, now).await?;
            (id, Effect::Created)
        }
        Some(found) if is_same(&found, &new) => (found.project.id, Effect::Unchanged),
        Some(found) => {
            if let Some(field) = members_only_field(tx, &found, project).await? {
                let message = format_args!(
                    "the field {field:?} mirrors an issue field that only members of the organization may see"
                );
                return Err(problem(&project.title, "projects.public", message));
            }
            projects::operations::update(tx, &found.project, &new, now).await?;
            (found.project.id, Effect::Changed)
        }
    };
    report.note(format_args!("project {number} of {} ({})", owner.login, new.title), effect);
    Ok(ProjectKey { project: id, owner: owner.id })
}

/// The field because of which an existing project cannot become public.
async fn members_only_field(tx: &mut Transaction, found: &ProjectWithRole, wanted: &Project) -> Result<Option<String>> {
    if !wanted.public || found.project.public {
        return Ok(None);
    }
    Ok(store::find_members_only_mirror(tx, found.project.id).await?)
}

fn is_same(found: &ProjectWithRole, new: &NewProject<'_>) -> bool {
    let project = &found.project;
    project.title == new.title
        && project.short_description.as_deref() == new.short_description
        && project.public == new.public
}

async fn apply_field(
    tx: &mut Transaction,
    key: ProjectKey,
    wanted: &Spanned<Map<String, Value>>,
    now: Timestamp,
    report: &mut Report,
) -> Result<()> {
    let new = read(tx, key, wanted).await?;
    rules::check_new(&new).map_err(|error| problem(wanted, FIELDS, error))?;
    let existing = match &new {
        NewField::FromIssueField { id, .. } => project_fields::store::find_mirror(tx, key.project, *id).await?,
        NewField::Own(own) => project_fields::store::find_by_name(tx, key.project, &own.name).await?,
    };
    let (name, effect) = match existing {
        Some(found) => (check_same(wanted, found, &new)?, Effect::Unchanged),
        None => {
            let added = operations::insert(tx, key, &new, now).await.map_err(|error| problem(wanted, FIELDS, error))?;
            (added.field.name, Effect::Created)
        }
    };
    report.note(format_args!("project field {name}"), effect);
    Ok(())
}

/// The format is the API's, with names of issue fields instead of their ids.
async fn read(tx: &mut Transaction, key: ProjectKey, wanted: &Spanned<Map<String, Value>>) -> Result<NewField> {
    let Some(name) = wanted.value.get("issue_field") else {
        let own = shape::read::<OwnField>(&wanted.value).map_err(|error| problem(wanted, FIELDS, error))?;
        return Ok(NewField::Own(own));
    };
    let name = name.as_str().ok_or_else(|| problem(wanted, FIELDS, "issue_field is the name of an issue field"))?;
    if wanted.value.len() > 1 {
        let message = "a field that mirrors an issue field has no other properties";
        return Err(problem(wanted, FIELDS, message));
    }
    let found = issue_fields::store::find_by_name(tx, key.owner, name).await?;
    let missing = || problem(wanted, FIELDS, format_args!("the owner has no issue field {name:?}"));
    Ok(NewField::FromIssueField { id: found.ok_or_else(missing)?.id, name: None, data_type: None })
}

/// An existing field is never changed, as in the API.
fn check_same(wanted: &Spanned<Map<String, Value>>, found: ProjectField, new: &NewField) -> Result<String> {
    match new {
        NewField::Own(own) if found.issue_field_id.is_some() || found.data_type != own.data_type() => {
            let known = found.data_type.as_str();
            let message = format_args!("{:?} exists with the data type {known}, which never changes", found.name);
            Err(problem(wanted, FIELDS, message))
        }
        NewField::Own(_) | NewField::FromIssueField { .. } => Ok(found.name),
    }
}
