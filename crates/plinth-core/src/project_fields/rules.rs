//! Validation of project fields.

use std::collections::HashSet;

use super::model::DataType;
use super::{NewField, NewIteration, NewOption, OwnField, OwnKind};
use crate::issue_fields::model::{DataType as IssueDataType, IssueField, Visibility};
use crate::projects::text::{self, TextError};
use plinth_base::error::{Code, Error, FieldError, Result};

pub const RESOURCE: &str = "ProjectV2Field";
pub const FIELDS_MAX: i64 = 50;
const OPTIONS: &str = "single_select_options";
const ITERATIONS: &str = "iteration_configuration.iterations";

/// Names of built-in fields, reserved in all projects.
const RESERVED: [&str; 11] = [
    "title",
    "assignees",
    "status",
    "labels",
    "linked pull requests",
    "milestone",
    "repository",
    "type",
    "reviewers",
    "parent issue",
    "sub-issues progress",
];

/// Checks all values of a new field that can be checked without the store.
pub fn check_new(new: &NewField) -> Result<()> {
    let mut errors = Errors::default();
    match new {
        NewField::FromIssueField { .. } => {}
        NewField::Own(own) => check_own(own, &mut errors),
    }
    if errors.0.is_empty() { Ok(()) } else { Err(Error::Invalid(errors.0)) }
}

#[derive(Default)]
struct Errors(Vec<FieldError>);

impl Errors {
    fn custom(&mut self, field: &str, message: String) {
        self.0.push(FieldError::new(RESOURCE, field, Code::Custom(message)));
    }

    fn text(&mut self, field: &str, subject: &str, checked: Result<(), TextError>) {
        if let Err(error) = checked {
            self.custom(field, format!("{subject} {error}"));
        }
    }
}

fn check_own(own: &OwnField, errors: &mut Errors) {
    errors.text("name", "name", text::check_name(&own.name));
    match &own.kind {
        OwnKind::Text | OwnKind::Number | OwnKind::Date => {}
        OwnKind::SingleSelect(options) => check_options(options, errors),
        OwnKind::Iteration(configuration) => check_iterations(&configuration.iterations, errors),
    }
}

fn check_options(options: &[NewOption], errors: &mut Errors) {
    let mut names = HashSet::new();
    for option in options {
        errors.text(OPTIONS, "option name", text::check_name(&option.name));
        errors.text(OPTIONS, "option description", text::check_description(&option.description));
        if !names.insert(text::name_key(&option.name)) {
            errors.custom(OPTIONS, format!("option name {:?} is used more than once", option.name.trim()));
        }
    }
}

/// Each iteration must start on or after the end of the previous one.
fn check_iterations(iterations: &[NewIteration], errors: &mut Errors) {
    for iteration in iterations {
        errors.text(ITERATIONS, "iteration title", text::check_name(&iteration.title));
        if iteration.start_date.plus(iteration.duration).is_none() {
            errors
                .custom(ITERATIONS, format!("iteration {:?} ends after the last day of the calendar", iteration.title));
        }
    }
    for pair in iterations.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        if after.start_date < before.start_date {
            let message = "iterations must be in the order of their start dates".to_owned();
            errors.custom(ITERATIONS, format!("{message}: {:?} begins before {:?}", after.title, before.title));
        } else if before.start_date.plus(before.duration).is_some_and(|end| after.start_date < end) {
            errors.custom(
                ITERATIONS,
                format!("iterations must not overlap: {:?} begins before {:?} is over", after.title, before.title),
            );
        }
    }
}

/// The limit includes built-in fields.
pub fn check_count(existing: i64) -> Result<()> {
    if existing < FIELDS_MAX {
        return Ok(());
    }
    Err(invalid("name", Code::Custom(format!("a project can have at most {FIELDS_MAX} fields"))))
}

/// Field names are unique in a project.
pub fn check_free(name_is_taken: bool) -> Result<()> {
    if name_is_taken { Err(name_taken()) } else { Ok(()) }
}

pub fn name_taken() -> Error {
    invalid("name", Code::AlreadyExists)
}

/// The names of built-in fields are reserved even if a project does not have the field.
pub fn check_not_reserved(name: &str) -> Result<()> {
    if RESERVED.contains(&text::name_key(name).as_str()) {
        return Err(invalid("name", Code::Custom(format!("{:?} is the name of a built-in field", name.trim()))));
    }
    Ok(())
}

pub fn issue_field_missing() -> Error {
    invalid("issue_field_id", Code::Missing)
}

/// A public project cannot have a mirror of an issue field that only members may see.
pub fn check_shown_to_members(field: &IssueField, project_is_public: bool) -> Result<()> {
    if !project_is_public || field.visibility == Visibility::All {
        return Ok(());
    }
    let message = "an issue field for members of the organization cannot be added to a public project";
    Err(invalid("issue_field_id", Code::Custom(message.into())))
}

/// A project has at most one mirror of an issue field.
pub fn check_not_mirrored(is_mirrored: bool) -> Result<()> {
    if is_mirrored { Err(invalid("issue_field_id", Code::AlreadyExists)) } else { Ok(()) }
}

/// Name and type of a mirror, if they are set, must match the issue field.
pub fn check_agrees(field: &IssueField, name: Option<&str>, data_type: Option<&str>) -> Result<()> {
    let mut errors = Errors::default();
    if name.is_some_and(|name| text::name_key(name) != text::name_key(&field.name)) {
        errors.custom("name", format!("name is {:?} in the issue field and cannot differ here", field.name));
    }
    if data_type.is_some_and(|data_type| data_type != field.data_type.as_str()) {
        let expected = field.data_type.as_str();
        errors.custom("data_type", format!("data_type is {expected} in the issue field and cannot differ here"));
    }
    if errors.0.is_empty() { Ok(()) } else { Err(Error::Invalid(errors.0)) }
}

/// The type of a mirror. Projects have no type for multiple selection.
pub fn mirror_type(data_type: IssueDataType) -> Result<DataType> {
    match data_type {
        IssueDataType::Text => Ok(DataType::Text),
        IssueDataType::Date => Ok(DataType::Date),
        IssueDataType::Number => Ok(DataType::Number),
        IssueDataType::SingleSelect => Ok(DataType::SingleSelect),
        IssueDataType::MultiSelect => {
            let message = "a multi_select issue field cannot be added to a project";
            Err(invalid("issue_field_id", Code::Custom(message.into())))
        }
    }
}

fn invalid(field: &'static str, code: Code) -> Error {
    Error::invalid(RESOURCE, field, code)
}

#[cfg(test)]
mod tests {
    use super::super::input::NewIterations;
    use super::super::model::Day;
    use super::*;
    use crate::projects::Color;

    fn day(text: &str) -> Day {
        Day::parse(text).expect("the test's day is good")
    }

    fn messages(kind: OwnKind) -> Vec<String> {
        match check_new(&NewField::Own(OwnField { name: "Field".into(), kind })) {
            Ok(()) => Vec::new(),
            Err(Error::Invalid(errors)) => errors
                .into_iter()
                .map(|error| match error.code {
                    Code::Custom(message) => message,
                    other => format!("{other:?}"),
                })
                .collect(),
            Err(other) => panic!("expected broken fields, got {other:?}"),
        }
    }

    fn iterations(given: &[(&str, &str, i64)]) -> OwnKind {
        let iterations = given.iter().map(|(title, start, duration)| {
            let (title, start_date) = ((*title).to_owned(), day(start));
            NewIteration { title, start_date, duration: *duration }
        });
        OwnKind::Iteration(NewIterations {
            start_date: day("2026-01-01"),
            duration: 14,
            iterations: iterations.collect(),
        })
    }

    #[test]
    fn iterations_must_be_in_order_without_overlap() {
        assert!(messages(iterations(&[])).is_empty());
        assert!(messages(iterations(&[("1", "2026-01-01", 7), ("2", "2026-01-08", 7)])).is_empty());
        assert!(messages(iterations(&[("1", "2026-01-01", 7), ("2", "2026-02-01", 1)])).is_empty());
        assert_eq!(
            messages(iterations(&[("1", "2026-01-01", 8), ("2", "2026-01-08", 7)])),
            ["iterations must not overlap: \"2\" begins before \"1\" is over"]
        );
        assert_eq!(
            messages(iterations(&[("1", "2026-01-08", 7), ("2", "2026-01-01", 7)])),
            ["iterations must be in the order of their start dates: \"2\" begins before \"1\""]
        );
        assert_eq!(
            messages(iterations(&[("1", "2026-01-01", 7), ("1", "2026-01-01", 7)])),
            ["iterations must not overlap: \"1\" begins before \"1\" is over"]
        );
        assert_eq!(
            messages(iterations(&[("", "9999-12-31", 7)])),
            ["iteration title can't be blank", "iteration \"\" ends after the last day of the calendar"]
        );
    }

    #[test]
    fn option_names_must_be_unique_and_not_blank() {
        let option = |name: &str| NewOption { name: name.into(), color: Color::Gray, description: String::new() };
        assert!(messages(OwnKind::SingleSelect(vec![option("a"), option("b")])).is_empty());
        assert_eq!(
            messages(OwnKind::SingleSelect(vec![option("a"), option(" A"), option("\n")])),
            ["option name \"A\" is used more than once", "option name can't be blank"]
        );
    }

    #[test]
    fn check_not_reserved_ignores_case_and_spaces() {
        for name in ["Title", "linked Pull requests", " TYPE "] {
            assert!(check_not_reserved(name).is_err(), "{name}");
        }
        assert!(check_not_reserved("Titles").is_ok());
    }
}
