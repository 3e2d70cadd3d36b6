//! Project fields as they are stored.

use std::fmt;
use std::str::FromStr;

use jiff::ToSpan;
use jiff::civil::Date;

use crate::projects::Color;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{IssueFieldId, IssueFieldOptionId, ProjectFieldId, ProjectId};
use plinth_store::{Column, DbError, from_row, text_column};

/// A field of a project: its own, a built-in one, or an issue field mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectField {
    pub id: ProjectFieldId,
    pub project_id: ProjectId,
    pub issue_field_id: Option<IssueFieldId>,
    pub name: String,
    pub data_type: DataType,
    /// The weekday on which iterations start, 1 for Monday.
    pub iteration_start_day: Option<i64>,
    /// The default number of days of an iteration.
    pub iteration_duration: Option<i64>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

from_row!(ProjectField {
    id,
    project_id,
    issue_field_id,
    name,
    data_type,
    iteration_start_day,
    iteration_duration,
    created_at,
    updated_at,
});

macro_rules! data_types {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// The type of a field's values.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum DataType { $($variant),* }

        impl DataType {
            pub fn as_str(self) -> &'static str {
                match self { $(DataType::$variant => $name),* }
            }
        }

        impl FromStr for DataType {
            type Err = ();

            fn from_str(text: &str) -> Result<Self, ()> {
                match text { $($name => Ok(DataType::$variant),)* _ => Err(()) }
            }
        }
    };
}
data_types! {
    Assignees = "assignees",
    LinkedPullRequests = "linked_pull_requests",
    Reviewers = "reviewers",
    Labels = "labels",
    Milestone = "milestone",
    Repository = "repository",
    Title = "title",
    Text = "text",
    SingleSelect = "single_select",
    Number = "number",
    Date = "date",
    Iteration = "iteration",
    IssueType = "issue_type",
    ParentIssue = "parent_issue",
    SubIssuesProgress = "sub_issues_progress",
}

text_column!(DataType);

/// One option of a single select field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldOption {
    pub project_field_id: ProjectFieldId,
    /// Eight hexadecimal digits.
    pub option_id: String,
    pub name: String,
    pub description: String,
    pub color: Color,
}

from_row!(FieldOption { project_field_id, option_id, name, description, color });

/// An option of an issue field mirror.
pub struct MirroredOption {
    pub project_field_id: ProjectFieldId,
    pub id: IssueFieldOptionId,
    pub name: String,
    pub description: Option<String>,
    pub color: Color,
}

from_row!(MirroredOption { project_field_id, id, name, description, color });

impl From<MirroredOption> for FieldOption {
    /// The id depends on the option only, so that it stays the same when the option is renamed or moved.
    fn from(mirrored: MirroredOption) -> Self {
        Self {
            project_field_id: mirrored.project_field_id,
            option_id: short_id(mirrored.id.0),
            name: mirrored.name,
            description: mirrored.description.unwrap_or_default(),
            color: mirrored.color,
        }
    }
}

/// An iteration: some days in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Iteration {
    pub project_field_id: ProjectFieldId,
    pub iteration_id: String,
    pub title: String,
    pub start_date: Day,
    pub duration: i64,
}

from_row!(Iteration { project_field_id, iteration_id, title, start_date, duration });

impl Iteration {
    /// An iteration is completed on the day after its last day.
    pub fn is_completed(&self, today: Day) -> bool {
        self.start_date.plus(self.duration).is_some_and(|end| end <= today)
    }
}

/// Options and iterations of several fields, sorted by field.
#[derive(Default)]
pub struct Contents {
    pub(super) options: Vec<FieldOption>,
    pub(super) iterations: Vec<Iteration>,
}

impl Contents {
    /// What they take in a cache.
    pub(super) fn bytes(&self) -> usize {
        let options = self.options.iter();
        let options =
            options.map(|own| own.option_id.len() + own.name.len() + own.description.len() + size_of_val(own));
        let iterations = self.iterations.iter();
        let iterations = iterations.map(|own| own.iteration_id.len() + own.title.len() + size_of_val(own));
        options.sum::<usize>() + iterations.sum::<usize>()
    }

    pub fn options_of(&self, field: ProjectFieldId) -> &[FieldOption] {
        let start = self.options.partition_point(|option| option.project_field_id < field);
        let end = self.options.partition_point(|option| option.project_field_id <= field);
        &self.options[start..end]
    }

    pub fn iterations_of(&self, field: ProjectFieldId) -> &[Iteration] {
        let start = self.iterations.partition_point(|iteration| iteration.project_field_id < field);
        let end = self.iterations.partition_point(|iteration| iteration.project_field_id <= field);
        &self.iterations[start..end]
    }
}

/// A date, always written as `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub Date);

impl Day {
    pub fn parse(text: &str) -> Option<Self> {
        let shape =
            |(index, byte): (usize, u8)| if matches!(index, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
        let good = text.len() == 10 && text.bytes().enumerate().all(shape);
        good.then(|| text.parse().ok()).flatten().map(Self)
    }

    /// The date so many days later; `None` after the end of the calendar.
    pub fn plus(self, days: i64) -> Option<Self> {
        let span = 0.days().try_days(days).ok()?;
        self.0.checked_add(span).ok().map(Self)
    }

    /// 1 for Monday to 7 for Sunday.
    pub fn weekday(self) -> i64 {
        i64::from(self.0.weekday().to_monday_one_offset())
    }
}

impl fmt::Display for Day {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl serde::Serialize for Day {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Column for Day {
    type Raw = String;

    fn from_raw(raw: String) -> Result<Self, DbError> {
        Self::parse(&raw).ok_or_else(|| DbError::Fault(format!("{raw:?} in the store is no date").into()))
    }
}

/// Eight hexadecimal digits, different for any two numbers below 2³², that do not look sequential.
pub fn short_id(number: i64) -> String {
    let bytes = number.to_be_bytes();
    let mut mixed = u32::from_be_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
    // Both steps, multiplying by an odd number and folding the high bits in, are reversible: there are no collisions.
    mixed = mixed.wrapping_mul(0x9e37_79b1);
    mixed ^= mixed >> 15;
    mixed = mixed.wrapping_mul(0x85eb_ca6b);
    mixed ^= mixed >> 13;
    format!("{mixed:08x}")
}

/// More than the number of options or iterations of one field.
const PARTS_MAX: i64 = 128;

/// The id of an option or iteration of a field, by its original position.
pub fn part_id(field: ProjectFieldId, position: i64) -> String {
    short_id(field.0.wrapping_mul(PARTS_MAX).wrapping_add(position))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_parses_iso_dates_only() {
        assert_eq!(Day::parse("2026-02-28").expect("a day").to_string(), "2026-02-28");
        for wrong in ["2026-02-29", "2026-13-01", "20260228", "2026-2-28", "2026-02-28T00:00:00Z", "", "2026/02/28"] {
            assert_eq!(Day::parse(wrong), None, "{wrong}");
        }
        let day = Day::parse("2026-02-28").expect("a day");
        assert_eq!(day.plus(1), Day::parse("2026-03-01"));
        assert_eq!(day.weekday(), 6);
        assert_eq!(Day::parse("9999-12-31").expect("the last day").plus(1), None);
    }

    #[test]
    fn short_ids_do_not_collide() {
        let ids: std::collections::HashSet<_> = (0..100_000).map(short_id).collect();
        assert_eq!(ids.len(), 100_000);
        assert!(ids.iter().all(|id| id.len() == 8));
    }

    #[test]
    fn iteration_is_completed_after_its_last_day() {
        let start_date = Day::parse("2026-02-01").expect("a day");
        let (project_field_id, title) = (ProjectFieldId(1), String::new());
        let iteration = Iteration { project_field_id, iteration_id: String::new(), title, start_date, duration: 7 };
        assert!(!iteration.is_completed(Day::parse("2026-02-07").expect("a day")));
        assert!(iteration.is_completed(Day::parse("2026-02-08").expect("a day")));
    }
}
