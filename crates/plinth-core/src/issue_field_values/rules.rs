//! Validation of values by the types of their fields.

use super::{FieldValueInput, NewFieldValue};
use crate::issue_fields::model::{DataType, IssueField, IssueFieldOption};
use crate::project_fields::model::Day;
use plinth_base::error::{Code, Error, Result};
use plinth_base::ids::IssueFieldOptionId;

const RESOURCE: &str = "Issue";
const TEXT_CHARACTERS_MAX: usize = 1024;

/// What is stored for a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    Text(String),
    Options(Vec<IssueFieldOptionId>),
}

/// Checks a value against its field.
pub fn check(field: &IssueField, options: &[IssueFieldOption], new: &NewFieldValue) -> Result<Checked> {
    match (field.data_type, &new.value) {
        (DataType::Text, FieldValueInput::Text(text)) => check_text(field, text),
        (DataType::Number, FieldValueInput::Number(number)) if number.is_finite() => {
            Ok(Checked::Text(number.to_string()))
        }
        (DataType::Date, FieldValueInput::Text(text)) => match Day::parse(text) {
            Some(day) => Ok(Checked::Text(day.to_string())),
            None => Err(invalid(field, "must be a date in the format YYYY-MM-DD")),
        },
        (DataType::SingleSelect, FieldValueInput::Text(name)) => {
            Ok(Checked::Options(vec![find_option(field, options, name)?]))
        }
        (DataType::MultiSelect, FieldValueInput::List(names)) => {
            let mut found = names.iter().map(|name| find_option(field, options, name)).collect::<Result<Vec<_>>>()?;
            found.sort_unstable();
            found.dedup();
            Ok(Checked::Options(found))
        }
        (DataType::Text, _) => Err(invalid(field, "must be a string")),
        (DataType::Number, _) => Err(invalid(field, "must be a number")),
        (DataType::Date, _) => Err(invalid(field, "must be a date in the format YYYY-MM-DD")),
        (DataType::SingleSelect, _) => Err(invalid(field, "must be the name of an option")),
        (DataType::MultiSelect, _) => Err(invalid(field, "must be a list of names of options")),
    }
}

fn check_text(field: &IssueField, text: &str) -> Result<Checked> {
    if text.chars().count() > TEXT_CHARACTERS_MAX {
        return Err(invalid(field, &format!("is too long (maximum is {TEXT_CHARACTERS_MAX} characters)")));
    }
    if text.trim().is_empty() || text.contains('\0') {
        return Err(invalid(field, "must be a text"));
    }
    Ok(Checked::Text(text.to_owned()))
}

fn find_option(field: &IssueField, options: &[IssueFieldOption], name: &str) -> Result<IssueFieldOptionId> {
    let found = options.iter().find(|option| option.name == name.trim());
    found.map(|option| option.id).ok_or_else(|| invalid(field, "must be the name of an option"))
}

fn invalid(field: &IssueField, problem: &str) -> Error {
    let message = format!("The value of '{}' {problem}", field.name);
    Error::invalid(RESOURCE, "issue_field_values", Code::InvalidBecause(message))
}

/// The organization has no such field.
pub fn no_such_field(new: &NewFieldValue) -> Error {
    let message = format!("There is no issue field with the id {}", new.field);
    Error::invalid(RESOURCE, "issue_field_values", Code::InvalidBecause(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::issue_fields::model::Visibility;
    use crate::projects::Color;
    use FieldValueInput::{List, Number, Text};
    use plinth_base::clock::Timestamp;
    use plinth_base::ids::{AccountId, IssueFieldId};

    fn field(data_type: DataType) -> IssueField {
        IssueField {
            id: IssueFieldId(1),
            org_id: AccountId(1),
            name: "F".into(),
            description: None,
            data_type,
            visibility: Visibility::All,
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        }
    }

    fn option(id: i64, name: &str) -> IssueFieldOption {
        IssueFieldOption {
            id: IssueFieldOptionId(id),
            issue_field_id: IssueFieldId(1),
            name: name.into(),
            description: None,
            color: Color::Red,
            priority: id,
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        }
    }

    fn check_value(data_type: DataType, value: FieldValueInput) -> Option<Checked> {
        let options = [option(1, "High"), option(2, "Low")];
        check(&field(data_type), &options, &NewFieldValue { field: IssueFieldId(1), value }).ok()
    }

    #[test]
    fn value_has_the_type_of_its_field() {
        let text = |text: &str| Text(text.into());
        let list = |names: &[&str]| List(names.iter().map(|name| (*name).into()).collect());
        let options = |ids: &[i64]| Some(Checked::Options(ids.iter().copied().map(IssueFieldOptionId).collect()));
        let stored = |text: &str| Some(Checked::Text(text.into()));
        for (data_type, value, expected) in [
            (DataType::Text, text("a"), stored("a")),
            (DataType::Text, text(" "), None),
            (DataType::Text, text(&"x".repeat(1025)), None),
            (DataType::Text, Number(1.0), None),
            (DataType::Number, Number(1.5), stored("1.5")),
            (DataType::Number, Number(-3.0), stored("-3")),
            (DataType::Number, Number(f64::NAN), None),
            (DataType::Number, text("1"), None),
            (DataType::Date, text("2026-02-28"), stored("2026-02-28")),
            (DataType::Date, text("2026-02-30"), None),
            (DataType::SingleSelect, text("Low"), options(&[2])),
            (DataType::SingleSelect, text("low"), None),
            (DataType::SingleSelect, list(&["Low"]), None),
            (DataType::MultiSelect, list(&["Low", "High", "Low"]), options(&[1, 2])),
            (DataType::MultiSelect, list(&["Low", "Other"]), None),
            (DataType::MultiSelect, text("Low"), None),
        ] {
            assert_eq!(check_value(data_type, value.clone()), expected, "{data_type:?} {value:?}");
        }
    }
}
