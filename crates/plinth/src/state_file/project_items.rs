//! Items of the projects of a state file, with the values of fields.

use serde_json::Value;

use super::accounts::find_user;
use super::file::Project;
use super::name::problem;
use super::project_item::ProjectItem;
use super::report::{Effect, Report};
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::ProjectId;
use plinth_core::project_fields::model::{Contents, DataType, ProjectField};
use plinth_core::project_items::{Content, FieldChange, ValueInput, operations, store};
use plinth_core::projects::{self, text};
use plinth_store::Transaction;

const CONTENT: &str = "projects.items.content";
const VALUES: &str = "projects.items.values";

/// Adds the items of projects, whose ids are in the order of the file, and sets the values that the file names. Runs when
/// the issues and pull requests exist.
pub async fn apply(
    tx: &mut Transaction,
    wanted: &[Project],
    ids: &[ProjectId],
    now: Timestamp,
    report: &mut Report,
) -> Result<()> {
    for (project, id) in wanted.iter().zip(ids) {
        for item in &project.items {
            let found = projects::store::find_by_id(tx, *id, None).await?;
            let missing = || problem(&project.title, "projects", "the project was deleted meanwhile");
            let effect = apply_one(tx, &found.ok_or_else(missing)?.project, item, now).await?;
            report.note(format_args!("item {} of project {}", item.content.value, project.title.value), effect);
        }
    }
    Ok(())
}

async fn apply_one(
    tx: &mut Transaction,
    project: &projects::Project,
    wanted: &ProjectItem,
    now: Timestamp,
) -> Result<Effect> {
    let content = find_content(tx, wanted).await?;
    let creator = match &wanted.creator {
        Some(login) => Some(find_user(tx, login, "projects.items.creator").await?.id),
        None => None,
    };
    let inserted = operations::insert(tx, project, &content, (creator, now)).await;
    let (item, is_new) = inserted.map_err(|error| problem(&wanted.content, CONTENT, error))?;
    let (fields, contents) = operations::find_fields(tx, project).await?;
    let changes = wanted.values.iter().map(|(name, value)| read(&fields, &contents, name, value));
    let changes = changes.collect::<Result<Vec<_>, String>>();
    let changes = changes.map_err(|message| problem(&wanted.content, VALUES, message))?;
    let changed = operations::set_values(tx, project, &item, &changes, (creator, now)).await;
    let is_changed = changed.map_err(|error| problem(&wanted.content, VALUES, error))?;
    Ok(match (is_new, is_changed) {
        (true, _) => Effect::Created,
        (false, true) => Effect::Changed,
        (false, false) => Effect::Unchanged,
    })
}

async fn find_content(tx: &mut Transaction, wanted: &ProjectItem) -> Result<Content> {
    let parts = wanted.content.value.rsplit_once('#').and_then(|(repo, number)| {
        let (owner, name) = repo.split_once('/')?;
        Some((owner, name, number.parse().ok()?))
    });
    let unreadable = || problem(&wanted.content, CONTENT, "an issue or pull request is written owner/name#number");
    let (owner, name, number) = parts.ok_or_else(unreadable)?;
    let found = store::find_at(tx, (owner, name), number).await?;
    found.ok_or_else(|| problem(&wanted.content, CONTENT, "there is no such issue or pull request"))
}

/// The API's form of a value, which has ids instead of names.
fn read(fields: &[ProjectField], contents: &Contents, name: &str, value: &Value) -> Result<FieldChange, String> {
    let key = text::name_key(name);
    let field = fields.iter().find(|field| text::name_key(&field.name) == key);
    let field = field.ok_or_else(|| format!("the project has no field {name:?}"))?;
    let value = match value {
        Value::Null => None,
        Value::Number(number) => number.as_f64().map(ValueInput::Number),
        Value::String(text) => Some(ValueInput::Text(find_id(field, contents, text))),
        _ => return Err(format!("the value of {name:?} is a text, a number or null")),
    };
    Ok(FieldChange { field: field.id, value })
}

/// The id of an option or iteration; for other fields, the text as it is.
fn find_id(field: &ProjectField, contents: &Contents, name: &str) -> String {
    let id = match field.data_type {
        DataType::SingleSelect => {
            let option = contents.options_of(field.id).iter().find(|option| option.name == name);
            option.map(|option| &option.option_id)
        }
        DataType::Iteration => {
            let iteration = contents.iterations_of(field.id).iter().find(|iteration| iteration.title == name);
            iteration.map(|iteration| &iteration.iteration_id)
        }
        _ => None,
    };
    id.cloned().unwrap_or_else(|| name.to_owned())
}
