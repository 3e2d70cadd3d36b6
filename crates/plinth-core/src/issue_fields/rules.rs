//! Validation of issue fields and their options.

use std::collections::HashSet;

use super::model::{DataType, IssueFieldOption};
use super::{IssueFieldChange, NewIssueField, OptionInput};
use crate::projects::text::{self, TextError};
use plinth_base::error::{Error, Result};
use plinth_base::ids::IssueFieldOptionId;

pub const FIELDS_MAX: i64 = 25;
pub const OPTIONS_MAX: usize = 50;
const PRIORITY: std::ops::RangeInclusive<i64> = 0..=2_147_483_647;

/// Checks all values of a new field and reports every error.
pub fn check_new(new: &NewIssueField) -> Result<()> {
    let mut sentences = Vec::new();
    check_name(&new.name, &mut sentences);
    check_description("Description", new.description.as_deref(), &mut sentences);
    let given = new.options.as_deref().unwrap_or_default();
    if new.data_type.is_select() {
        check_options(given, &mut sentences);
    } else if !given.is_empty() {
        sentences.push(no_options(new.data_type));
    }
    finish(sentences)
}

/// Checks all values of a change to a field with this type and these options.
pub fn check_change(change: &IssueFieldChange, data_type: DataType, existing: &[IssueFieldOption]) -> Result<()> {
    let mut sentences = Vec::new();
    if let Some(name) = &change.name {
        check_name(name, &mut sentences);
    }
    check_description("Description", change.description.as_ref().and_then(Option::as_deref), &mut sentences);
    let is_other = change.data_type.is_some_and(|expected| expected != data_type);
    sentences.extend(is_other.then(|| format!("Data type is {} and can't be changed", data_type.as_str())));
    match &change.options {
        Some(options) if data_type.is_select() => {
            check_options(options, &mut sentences);
            check_ids(options, existing, &mut sentences);
        }
        Some(options) if !options.is_empty() => sentences.push(no_options(data_type)),
        Some(_) | None => {}
    }
    finish(sentences)
}

pub fn check_count(existing: i64) -> Result<()> {
    if existing < FIELDS_MAX {
        return Ok(());
    }
    Err(invalid(format!("An organization can have at most {FIELDS_MAX} issue fields")))
}

/// Field names are unique in an organization, and in the projects that have a mirror.
pub fn name_taken() -> Error {
    invalid("Name has already been taken".into())
}

/// A field with a mirror in a public project cannot be restricted to members.
pub fn shown_in_public() -> Error {
    invalid("Visibility must be all while a public project shows the field".into())
}

fn invalid(sentence: String) -> Error {
    Error::InvalidPlain(vec![sentence])
}

fn finish(sentences: Vec<String>) -> Result<()> {
    if sentences.is_empty() { Ok(()) } else { Err(Error::InvalidPlain(sentences)) }
}

fn check_name(name: &str, sentences: &mut Vec<String>) {
    sentences.extend(text::check_name(name).err().map(|error| format!("Name {error}")));
}

fn check_description(subject: &str, description: Option<&str>, sentences: &mut Vec<String>) {
    let error: Option<TextError> = description.and_then(|description| text::check_description(description).err());
    sentences.extend(error.map(|error| format!("{subject} {error}")));
}

fn no_options(data_type: DataType) -> String {
    format!("Options are only for single_select and multi_select fields, not for {} fields", data_type.as_str())
}

fn check_options(options: &[OptionInput], sentences: &mut Vec<String>) {
    if options.is_empty() {
        sentences.push("Options can't be blank".into());
    }
    if options.len() > OPTIONS_MAX {
        sentences.push(format!("Options are too many (maximum is {OPTIONS_MAX})"));
    }
    let (mut names, mut priorities) = (HashSet::new(), HashSet::new());
    for option in options {
        if let Err(error) = text::check_name(&option.name) {
            sentences.push(format!("Option name {error}"));
        } else if !names.insert(text::name_key(&option.name)) {
            sentences.push(format!("Option name {:?} is used more than once", option.name.trim()));
        }
        check_description("Option description", option.description.as_deref(), sentences);
        let Some(priority) = option.priority else { continue };
        if !PRIORITY.contains(&priority) {
            sentences.push(format!("Option priority must be between {} and {}", PRIORITY.start(), PRIORITY.end()));
        } else if !priorities.insert(priority) {
            sentences.push(format!("Option priority {priority} is used more than once"));
        }
    }
}

/// Each id must belong to an option of this field, and occur once.
fn check_ids(options: &[OptionInput], existing: &[IssueFieldOption], sentences: &mut Vec<String>) {
    let mut seen = HashSet::new();
    for id in options.iter().filter_map(|option| option.id) {
        if !existing.iter().any(|known| known.id == id) {
            sentences.push(format!("Option id {id} does not belong to this issue field"));
        } else if !seen.insert(id) {
            sentences.push(format!("Option id {id} is used more than once"));
        }
    }
}

/// The priority of each option: its own, or the first free number from its position in the list on.
pub fn priorities(options: &[OptionInput]) -> Vec<i64> {
    let mut taken: HashSet<i64> = options.iter().filter_map(|option| option.priority).collect();
    let priority_of = |(option, position): (&OptionInput, i64)| {
        option.priority.unwrap_or_else(|| {
            let free = (position..).find(|number| !taken.contains(number)).expect("the numbers do not end");
            taken.insert(free);
            free
        })
    };
    options.iter().zip(1..).map(priority_of).collect()
}

/// The changes that turn one set of options into another.
#[derive(Debug, PartialEq, Eq)]
pub struct Replacement<'a> {
    pub deleted: Vec<IssueFieldOptionId>,
    /// Options with new values; unchanged ones are left out.
    pub updated: Vec<(IssueFieldOptionId, &'a OptionInput, i64)>,
    pub inserted: Vec<(&'a OptionInput, i64)>,
}

impl Replacement<'_> {
    pub fn is_empty(&self) -> bool {
        self.deleted.is_empty() && self.updated.is_empty() && self.inserted.is_empty()
    }
}

/// `wanted` replaces the whole set: an option with an id is updated, one without an id is new, and all others are deleted.
pub fn replacement<'a>(existing: &[IssueFieldOption], wanted: &'a [OptionInput]) -> Replacement<'a> {
    let deleted = existing.iter().map(|option| option.id);
    let mut replacement = Replacement {
        deleted: deleted.filter(|id| !wanted.iter().any(|option| option.id == Some(*id))).collect(),
        updated: Vec::new(),
        inserted: Vec::new(),
    };
    for (option, priority) in wanted.iter().zip(priorities(wanted)) {
        let Some(id) = option.id else {
            replacement.inserted.push((option, priority));
            continue;
        };
        let unchanged = existing.iter().any(|known| known.id == id && is_same(known, option, priority));
        if !unchanged {
            replacement.updated.push((id, option, priority));
        }
    }
    replacement
}

fn is_same(known: &IssueFieldOption, wanted: &OptionInput, priority: i64) -> bool {
    known.name == wanted.name.trim()
        && known.description == wanted.description
        && known.color == wanted.color
        && known.priority == priority
}

#[cfg(test)]
mod tests {
    use super::super::model::Visibility;
    use super::*;
    use crate::projects::Color;
    use plinth_base::clock::Timestamp;
    use plinth_base::ids::IssueFieldId;

    fn option(id: Option<i64>, name: &str, priority: Option<i64>) -> OptionInput {
        let id = id.map(IssueFieldOptionId);
        OptionInput { id, name: name.into(), description: None, color: Color::Red, priority }
    }

    fn stored(id: i64, name: &str, priority: i64) -> IssueFieldOption {
        IssueFieldOption {
            id: IssueFieldOptionId(id),
            issue_field_id: IssueFieldId(1),
            name: name.into(),
            description: None,
            color: Color::Red,
            priority,
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        }
    }

    fn new(data_type: DataType, options: Option<Vec<OptionInput>>) -> NewIssueField {
        let visibility = Visibility::default();
        NewIssueField { name: "Priority".into(), description: None, data_type, visibility, options }
    }

    fn sentences(checked: Result<()>) -> Vec<String> {
        match checked {
            Ok(()) => Vec::new(),
            Err(Error::InvalidPlain(sentences)) => sentences,
            Err(other) => panic!("expected sentences, got {other:?}"),
        }
    }

    #[test]
    fn check_new_requires_options_for_select_fields_only() {
        for data_type in [DataType::SingleSelect, DataType::MultiSelect] {
            for nothing in [None, Some(Vec::new())] {
                assert_eq!(sentences(check_new(&new(data_type, nothing))), ["Options can't be blank"]);
            }
            assert!(check_new(&new(data_type, Some(vec![option(None, "High", None)]))).is_ok());
        }
        for data_type in [DataType::Text, DataType::Date, DataType::Number] {
            for nothing in [None, Some(Vec::new())] {
                assert!(check_new(&new(data_type, nothing)).is_ok());
            }
            let errors = sentences(check_new(&new(data_type, Some(vec![option(None, "High", None)]))));
            assert_eq!(errors, [no_options(data_type)]);
        }
    }

    #[test]
    fn check_new_limits_options_and_requires_unique_names_and_priorities() {
        let many = |count: usize| Some((0..count).map(|n| option(None, &format!("{n}"), None)).collect());
        assert!(check_new(&new(DataType::SingleSelect, many(50))).is_ok());
        assert_eq!(
            sentences(check_new(&new(DataType::SingleSelect, many(51)))),
            ["Options are too many (maximum is 50)"]
        );
        let wrong = vec![
            option(None, "High", Some(1)),
            option(None, "high ", Some(1)),
            option(None, "", Some(-1)),
            option(None, "Low", Some(1 << 40)),
        ];
        assert_eq!(
            sentences(check_new(&new(DataType::MultiSelect, Some(wrong)))),
            [
                "Option name \"high\" is used more than once",
                "Option priority 1 is used more than once",
                "Option name can't be blank",
                "Option priority must be between 0 and 2147483647",
                "Option priority must be between 0 and 2147483647",
            ]
        );
    }

    #[test]
    fn check_change_rejects_repeated_and_unknown_option_ids() {
        let change = |options| IssueFieldChange { options, ..IssueFieldChange::default() };
        let existing = [stored(1, "High", 1), stored(2, "Low", 2)];
        let wanted = vec![option(Some(1), "a", None), option(Some(1), "b", None), option(Some(3), "c", None)];
        assert_eq!(
            sentences(check_change(&change(Some(wanted)), DataType::SingleSelect, &existing)),
            ["Option id 1 is used more than once", "Option id 3 does not belong to this issue field"]
        );
        assert_eq!(
            sentences(check_change(&change(Some(Vec::new())), DataType::SingleSelect, &existing)),
            ["Options can't be blank"]
        );
        assert!(check_change(&change(None), DataType::SingleSelect, &existing).is_ok());
    }

    #[test]
    fn priorities_default_to_positions() {
        let given = |priorities: &[Option<i64>]| {
            let options: Vec<_> = priorities.iter().map(|priority| option(None, "x", *priority)).collect();
            super::priorities(&options)
        };
        assert_eq!(given(&[None, None, None]), [1, 2, 3]);
        assert_eq!(given(&[Some(7), Some(0)]), [7, 0]);
        assert_eq!(given(&[None, Some(1), None, Some(3), None]), [2, 1, 4, 3, 5]);
    }

    #[test]
    fn replacement_matches_options_by_id_only() {
        let existing = [stored(1, "High", 1), stored(2, "Low", 2), stored(3, "None", 3)];
        let wanted =
            [option(Some(2), "Lower", Some(1)), option(None, "High", Some(2)), option(Some(3), "None", Some(3))];
        let planned = replacement(&existing, &wanted);
        assert_eq!(planned.deleted, [IssueFieldOptionId(1)]);
        assert_eq!(planned.updated, [(IssueFieldOptionId(2), &wanted[0], 1)]);
        assert_eq!(planned.inserted, [(&wanted[1], 2)]);
        let same = [option(Some(1), "High", None), option(Some(2), "Low", None), option(Some(3), "None", None)];
        assert!(replacement(&existing, &same).is_empty());
    }
}
