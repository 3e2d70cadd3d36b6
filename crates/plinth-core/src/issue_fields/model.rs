//! Issue fields as they are stored.

use std::str::FromStr;

use crate::projects::Color;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, IssueFieldId, IssueFieldOptionId};
use plinth_store::{from_row, text_column};

/// A field that an organization defines for all its issues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueField {
    pub id: IssueFieldId,
    pub org_id: AccountId,
    pub name: String,
    pub description: Option<String>,
    pub data_type: DataType,
    pub visibility: Visibility,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

from_row!(IssueField { id, org_id, name, description, data_type, visibility, created_at, updated_at });

/// One option of a select field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueFieldOption {
    pub id: IssueFieldOptionId,
    pub issue_field_id: IssueFieldId,
    pub name: String,
    pub description: Option<String>,
    pub color: Color,
    /// The position among the options, unique in a field.
    pub priority: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

from_row!(IssueFieldOption { id, issue_field_id, name, description, color, priority, created_at, updated_at });

/// The type of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataType {
    Text,
    Date,
    SingleSelect,
    MultiSelect,
    Number,
}

impl DataType {
    pub const NAMES: [&'static str; 5] = ["text", "date", "single_select", "multi_select", "number"];

    pub fn as_str(self) -> &'static str {
        match self {
            DataType::Text => "text",
            DataType::Date => "date",
            DataType::SingleSelect => "single_select",
            DataType::MultiSelect => "multi_select",
            DataType::Number => "number",
        }
    }

    /// Whether fields of this type have options.
    pub fn is_select(self) -> bool {
        match self {
            DataType::SingleSelect | DataType::MultiSelect => true,
            DataType::Text | DataType::Date | DataType::Number => false,
        }
    }
}

impl FromStr for DataType {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [DataType::Text, DataType::Date, DataType::SingleSelect, DataType::MultiSelect, DataType::Number]
            .into_iter()
            .find(|data_type| data_type.as_str() == text)
            .ok_or(())
    }
}

/// Who sees the values of a field on issues. Only members can list the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    #[default]
    OrganizationMembersOnly,
    All,
}

impl Visibility {
    pub const NAMES: [&'static str; 2] = ["organization_members_only", "all"];

    pub fn as_str(self) -> &'static str {
        match self {
            Visibility::OrganizationMembersOnly => "organization_members_only",
            Visibility::All => "all",
        }
    }
}

impl FromStr for Visibility {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Visibility::OrganizationMembersOnly, Visibility::All]
            .into_iter()
            .find(|visibility| visibility.as_str() == text)
            .ok_or(())
    }
}

text_column!(DataType, Visibility);
