//! Input to add a project field.

use plinth_base::ids::IssueFieldId;

use super::model::{DataType, Day};
use crate::projects::Color;

/// A field to add.
#[derive(Debug, Clone)]
pub enum NewField {
    /// A mirror of an issue field; name and type must match it if they are set.
    FromIssueField {
        id: IssueFieldId,
        name: Option<String>,
        data_type: Option<String>,
    },
    Own(OwnField),
}

/// A field that is not a mirror.
#[derive(Debug, Clone)]
pub struct OwnField {
    pub name: String,
    pub kind: OwnKind,
}

impl OwnField {
    pub fn data_type(&self) -> DataType {
        match self.kind {
            OwnKind::Text => DataType::Text,
            OwnKind::Number => DataType::Number,
            OwnKind::Date => DataType::Date,
            OwnKind::SingleSelect(_) => DataType::SingleSelect,
            OwnKind::Iteration(_) => DataType::Iteration,
        }
    }
}

#[derive(Debug, Clone)]
pub enum OwnKind {
    Text,
    Number,
    Date,
    SingleSelect(Vec<NewOption>),
    Iteration(NewIterations),
}

#[derive(Debug, Clone)]
pub struct NewOption {
    pub name: String,
    pub color: Color,
    pub description: String,
}

#[derive(Debug, Clone)]
pub struct NewIterations {
    pub start_date: Day,
    pub duration: i64,
    pub iterations: Vec<NewIteration>,
}

#[derive(Debug, Clone)]
pub struct NewIteration {
    pub title: String,
    pub start_date: Day,
    pub duration: i64,
}
