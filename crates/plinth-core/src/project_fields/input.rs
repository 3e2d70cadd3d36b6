//! What a caller sends.

use plinth_base::ids::IssueFieldId;

use super::model::{DataType, Day};
use crate::projects::Color;

/// A field about to be added.
#[derive(Debug, Clone)]
pub enum NewField {
    /// Follows an issue field; what is said besides must agree with it.
    FromIssueField {
        id: IssueFieldId,
        name: Option<String>,
        data_type: Option<String>,
    },
    Own(OwnField),
}

/// A field that belongs to its project alone.
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
