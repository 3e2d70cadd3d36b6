//! Issue fields of a state file.

use super::file::IssueField;
use super::name::problem;
use super::report::{Effect, Report};
use plinth_base::clock::Timestamp;
use plinth_base::error::Result;
use plinth_base::ids::AccountId;
use plinth_core::accounts::{self, AccountKind};
use plinth_core::issue_fields::model::IssueFieldOption;
use plinth_core::issue_fields::operations::{self, IssueFieldWithOptions};
use plinth_core::issue_fields::{IssueFieldChange, NewIssueField, OptionInput, rules, store};
use plinth_core::projects::text::name_key;
use plinth_store::Transaction;

pub async fn apply(tx: &mut Transaction, wanted: &[IssueField], now: Timestamp, report: &mut Report) -> Result<()> {
    const FIELD: &str = "issue_fields.name";
    for field in wanted {
        let found = accounts::store::find_of_kind(tx, &field.org.value, AccountKind::Organization).await?;
        let missing = || {
            let message = format_args!("there is no organization {:?}", field.org.value);
            problem(&field.org, "issue_fields.org", message)
        };
        let org = found.ok_or_else(missing)?;
        let new = new(field);
        rules::check_new(&new).map_err(|error| problem(&field.name, FIELD, error))?;
        let effect = match store::find_by_name(tx, org.id, &field.name.value).await? {
            None => {
                let created = operations::insert(tx, org.id, &new, now).await;
                created.map_err(|error| problem(&field.name, FIELD, error))?;
                Effect::Created
            }
            Some(found) => {
                let before = operations::get(tx, org.id, found.id).await?;
                update(tx, org.id, field, &before, new, now).await?
            }
        };
        report.note(format_args!("issue field {} of {}", field.name.value, org.login), effect);
    }
    Ok(())
}

fn new(field: &IssueField) -> NewIssueField {
    let options = field.options.iter().map(|option| OptionInput {
        id: None,
        name: option.name.clone(),
        description: option.description.clone(),
        color: option.color,
        priority: option.priority,
    });
    NewIssueField {
        name: field.name.value.clone(),
        description: field.description.clone(),
        data_type: field.data_type,
        visibility: field.visibility,
        options: Some(options.collect()),
    }
}

/// Matches options by name, so that their ids stay the same when a file is applied again.
async fn update(
    tx: &mut Transaction,
    org: AccountId,
    field: &IssueField,
    before: &IssueFieldWithOptions,
    new: NewIssueField,
    now: Timestamp,
) -> Result<Effect> {
    if before.field.data_type != new.data_type {
        let known = before.field.data_type.as_str();
        let message = format_args!("it exists with the data type {known}, which never changes");
        return Err(problem(&field.name, "issue_fields.data_type", message));
    }
    let options = new.options.unwrap_or_default().into_iter();
    let change = IssueFieldChange {
        name: Some(new.name),
        description: Some(new.description),
        data_type: Some(new.data_type),
        visibility: Some(new.visibility),
        options: Some(options.map(|option| OptionInput { id: id_of(&option, &before.options), ..option }).collect()),
    };
    let after = operations::change(tx, org, before.field.id, &change, now).await;
    let after = after.map_err(|error| problem(&field.name, "issue_fields.name", error))?;
    let same = after.field == before.field && after.options == before.options;
    Ok(if same { Effect::Unchanged } else { Effect::Changed })
}

fn id_of(option: &OptionInput, known: &[IssueFieldOption]) -> Option<plinth_base::ids::IssueFieldOptionId> {
    let same = |known: &&IssueFieldOption| name_key(&known.name) == name_key(&option.name);
    known.iter().find(same).map(|known| known.id)
}
