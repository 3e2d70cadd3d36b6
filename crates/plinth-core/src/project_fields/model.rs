//! Project fields as the service keeps them.

use std::fmt;
use std::str::FromStr;

use jiff::ToSpan;
use jiff::civil::Date;

use crate::projects::Color;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{IssueFieldId, IssueFieldOptionId, ProjectFieldId, ProjectId};
use plinth_store::{Column, DbError, from_row, text_column};

/// A field of a project: its own, a built-in one, or one that follows an issue field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectField {
    pub id: ProjectFieldId,
    pub project_id: ProjectId,
    pub issue_field_id: Option<IssueFieldId>,
    pub name: String,
    pub data_type: DataType,
    /// The day of the week on which iterations begin, 1 for Monday.
    pub iteration_start_day: Option<i64>,
    /// How many days an iteration has unless it says otherwise.
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
        /// What the values of a field are.
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

/// One choice of a single select field.
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

/// An option of an issue field, seen through a project field that follows it.
pub struct MirroredOption {
    pub project_field_id: ProjectFieldId,
    pub id: IssueFieldOptionId,
    pub name: String,
    pub description: Option<String>,
    pub color: Color,
}

from_row!(MirroredOption { project_field_id, id, name, description, color });

impl From<MirroredOption> for FieldOption {
    /// The id depends on the option alone, so that it stays when the option is renamed or moved.
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

/// One stretch of days.
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
    /// An iteration is over on the day after its last.
    pub fn is_completed(&self, today: Day) -> bool {
        self.start_date.plus(self.duration).is_some_and(|end| end <= today)
    }
}

/// A day of the calendar, written `YYYY-MM-DD` and in no other way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub Date);

impl Day {
    pub fn parse(text: &str) -> Option<Self> {
        let shape =
            |(index, byte): (usize, u8)| if matches!(index, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
        let good = text.len() == 10 && text.bytes().enumerate().all(shape);
        good.then(|| text.parse().ok()).flatten().map(Self)
    }

    /// The day so many days later, unless the calendar ends before.
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

/// Eight hexadecimal digits that differ for any two numbers below 2³², and do not look like a count.
pub fn short_id(number: i64) -> String {
    let bytes = number.to_be_bytes();
    let mut mixed = u32::from_be_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
    // Multiplying by an odd number and folding the high bits in can both be undone, so no two numbers meet.
    mixed = mixed.wrapping_mul(0x9e37_79b1);
    mixed ^= mixed >> 15;
    mixed = mixed.wrapping_mul(0x85eb_ca6b);
    mixed ^= mixed >> 13;
    format!("{mixed:08x}")
}

/// Parts of one field that an id is made for; a field has fewer.
const PARTS_MAX: i64 = 128;

/// The id of an option or iteration of a field, by its place when it was made.
pub fn part_id(field: ProjectFieldId, position: i64) -> String {
    short_id(field.0.wrapping_mul(PARTS_MAX).wrapping_add(position))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_spelling_of_a_day_is_read() {
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
    fn short_ids_do_not_meet() {
        let ids: std::collections::HashSet<_> = (0..100_000).map(short_id).collect();
        assert_eq!(ids.len(), 100_000);
        assert!(ids.iter().all(|id| id.len() == 8));
    }

    #[test]
    fn an_iteration_is_over_after_its_last_day() {
        let start_date = Day::parse("2026-02-01").expect("a day");
        let (project_field_id, title) = (ProjectFieldId(1), String::new());
        let iteration = Iteration { project_field_id, iteration_id: String::new(), title, start_date, duration: 7 };
        assert!(!iteration.is_completed(Day::parse("2026-02-07").expect("a day")));
        assert!(iteration.is_completed(Day::parse("2026-02-08").expect("a day")));
    }
}
