//! Validation of project items and of the values of their fields.

use super::{FieldChange, ValueInput};
use crate::project_fields::model::{Contents, DataType, Day, ProjectField};
use crate::projects::text;
use plinth_base::error::{Code, Error, FieldError, Result};
use plinth_base::ids::ProjectFieldId;

pub const RESOURCE: &str = "ProjectV2Item";
pub const ITEMS_MAX: i64 = 50_000;

pub fn check_count(existing: i64) -> Result<()> {
    if existing < ITEMS_MAX {
        return Ok(());
    }
    Err(Error::invalid(RESOURCE, "", Code::Custom(format!("a project can have at most {ITEMS_MAX} items"))))
}

/// The caller may not read what the item shows, and so sees no values either.
pub fn hidden_content() -> Error {
    Error::Forbidden("Must have read access to the repository of the item".into())
}

/// A field and what is stored as its value; `None` clears it.
pub type CheckedValue = (ProjectFieldId, Option<String>);

/// Checks all values. The fields are those of the project.
pub fn check_values(
    fields: &[ProjectField],
    contents: &Contents,
    changes: &[FieldChange],
) -> Result<Vec<CheckedValue>> {
    let mut checked = Vec::with_capacity(changes.len());
    let mut errors = Vec::new();
    for change in changes {
        match check_value(fields, contents, change) {
            Ok(text) => checked.push((change.field, text)),
            Err(problem) => errors.push(FieldError::new(RESOURCE, "fields", Code::InvalidBecause(problem))),
        }
    }
    if errors.is_empty() { Ok(checked) } else { Err(Error::Invalid(errors)) }
}

fn check_value(fields: &[ProjectField], contents: &Contents, change: &FieldChange) -> Result<Option<String>, String> {
    let Some(field) = fields.iter().find(|field| field.id == change.field) else {
        return Err(format!("The project has no field with the id {}", change.field));
    };
    if field.issue_field_id.is_some() {
        return Err(format!("The value of '{}' is that of the issue, where it can be changed", field.name));
    }
    check_text(field, contents, change.value.as_ref())
        .map_err(|problem| format!("The value of '{}' {problem}", field.name))
}

fn check_text(
    field: &ProjectField,
    contents: &Contents,
    value: Option<&ValueInput>,
) -> Result<Option<String>, &'static str> {
    match (field.data_type, value) {
        (DataType::Text | DataType::Number | DataType::Date | DataType::SingleSelect | DataType::Iteration, None) => {
            Ok(None)
        }
        (DataType::Text, Some(ValueInput::Text(text))) => match text::check_description(text) {
            Ok(()) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
            Err(text::TextError::Blank | text::TextError::Control) => Err("can't contain control characters"),
            Err(text::TextError::TooLong(_)) => Err("is too long (maximum is 1000 characters)"),
        },
        (DataType::Text, Some(ValueInput::Number(_))) => Err("must be a string"),
        (DataType::Number, Some(ValueInput::Number(number))) if number.is_finite() => Ok(Some(number.to_string())),
        (DataType::Number, Some(_)) => Err("must be a number"),
        (DataType::Date, Some(ValueInput::Text(text))) if Day::parse(text).is_some() => Ok(Some(text.clone())),
        (DataType::Date, Some(_)) => Err("must be a date in the format YYYY-MM-DD"),
        (DataType::SingleSelect, Some(ValueInput::Text(id)))
            if contents.options_of(field.id).iter().any(|option| option.option_id == *id) =>
        {
            Ok(Some(id.clone()))
        }
        (DataType::SingleSelect, Some(_)) => Err("must be the id of an option"),
        (DataType::Iteration, Some(ValueInput::Text(id)))
            if contents.iterations_of(field.id).iter().any(|iteration| iteration.iteration_id == *id) =>
        {
            Ok(Some(id.clone()))
        }
        (DataType::Iteration, Some(_)) => Err("must be the id of an iteration"),
        (
            DataType::Assignees
            | DataType::LinkedPullRequests
            | DataType::Reviewers
            | DataType::Labels
            | DataType::Milestone
            | DataType::Repository
            | DataType::Title
            | DataType::IssueType
            | DataType::ParentIssue
            | DataType::SubIssuesProgress,
            _,
        ) => Err("is that of the issue or pull request, where it can be changed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ValueInput::{Number, Text};
    use plinth_base::clock::Timestamp;
    use plinth_base::ids::{IssueFieldId, ProjectId};

    fn field(id: i64, data_type: DataType) -> ProjectField {
        ProjectField {
            id: ProjectFieldId(id),
            project_id: ProjectId(1),
            issue_field_id: None,
            name: "F".into(),
            data_type,
            iteration_start_day: None,
            iteration_duration: None,
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        }
    }

    fn check(data_type: DataType, value: Option<ValueInput>) -> Option<Option<String>> {
        let change = FieldChange { field: ProjectFieldId(1), value };
        check_values(&[field(1, data_type)], &Contents::default(), &[change]).ok().map(|mut all| all.remove(0).1)
    }

    #[test]
    fn value_has_the_type_of_its_field() {
        let text = |text: &str| Some(Text(text.into()));
        let stored = |text: &str| Some(Some(text.to_owned()));
        for (data_type, value, expected) in [
            (DataType::Text, text("a\nb"), stored("a\nb")),
            (DataType::Text, text(""), Some(None)),
            (DataType::Text, text("a\0"), None),
            (DataType::Text, text(&"x".repeat(1_001)), None),
            (DataType::Text, Some(Number(1.0)), None),
            (DataType::Number, Some(Number(1.5)), stored("1.5")),
            (DataType::Number, Some(Number(-3.0)), stored("-3")),
            (DataType::Number, Some(Number(f64::INFINITY)), None),
            (DataType::Number, text("1"), None),
            (DataType::Date, text("2026-02-28"), stored("2026-02-28")),
            (DataType::Date, text("2026-02-30"), None),
            (DataType::SingleSelect, text("unknown"), None),
            (DataType::Iteration, text("unknown"), None),
            (DataType::Iteration, None, Some(None)),
            (DataType::Title, text("a"), None),
            (DataType::Labels, None, None),
        ] {
            assert_eq!(check(data_type, value.clone()), expected, "{data_type:?} {value:?}");
        }
    }

    #[test]
    fn every_invalid_value_is_reported() {
        let mirror = ProjectField { issue_field_id: Some(IssueFieldId(1)), ..field(2, DataType::Text) };
        let fields = [field(1, DataType::Number), mirror];
        let change = |id: i64| FieldChange { field: ProjectFieldId(id), value: Some(Text("a".into())) };
        let checked = check_values(&fields, &Contents::default(), &[change(1), change(2), change(3)]);
        let Err(Error::Invalid(errors)) = checked else { panic!("three values are invalid") };
        assert_eq!(errors.len(), 3);
    }
}
