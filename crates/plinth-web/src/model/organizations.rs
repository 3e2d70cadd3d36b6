//! Accounts, repositories, projects, fields and installations.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::User;

/// A user or an organization with its profile.
#[derive(Debug, Deserialize)]
pub struct Account {
    pub id: i64,
    pub login: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub name: Option<String>,
    pub created_at: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Repository {
    pub id: i64,
    pub name: String,
    pub full_name: String,
    pub owner: User,
    #[serde(default)]
    pub private: bool,
    pub description: Option<String>,
    #[serde(default)]
    pub default_branch: String,
    #[serde(default)]
    pub archived: bool,
    pub language: Option<String>,
    #[serde(default)]
    pub topics: Vec<String>,
    #[serde(default)]
    pub clone_url: String,
    pub pushed_at: Option<String>,
    pub permissions: Option<Permissions>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Permissions {
    #[serde(default)]
    pub push: bool,
}

impl Repository {
    pub fn page(&self) -> String {
        format!("/{}/{}", crate::text::segment(&self.owner.login), crate::text::segment(&self.name))
    }

    /// The path below `/repos` of the API.
    pub fn api(&self) -> String {
        format!("/repos{}", self.page())
    }

    pub fn can_push(&self) -> bool {
        self.permissions.is_some_and(|permissions| permissions.push)
    }
}

#[derive(Debug, Deserialize)]
pub struct Project {
    pub title: String,
    pub number: i64,
    pub owner: User,
    pub public: bool,
    pub state: String,
    pub short_description: Option<String>,
}

/// A field of a project.
#[derive(Debug, Deserialize)]
pub struct Field {
    pub id: i64,
    pub name: String,
    pub data_type: String,
    pub issue_field_id: Option<i64>,
    pub options: Option<Vec<FieldOption>>,
    pub configuration: Option<Configuration>,
}

#[derive(Debug, Deserialize)]
pub struct FieldOption {
    pub name: RichText,
    pub color: String,
    pub description: RichText,
}

/// A text that the API has in several forms; pages show the one without markup.
#[derive(Debug, Deserialize)]
pub struct RichText {
    pub raw: String,
}

#[derive(Debug, Deserialize)]
pub struct Configuration {
    pub duration: i64,
    pub iterations: Vec<Iteration>,
}

#[derive(Debug, Deserialize)]
pub struct Iteration {
    pub start_date: String,
    pub duration: i64,
    pub title: RichText,
    pub completed: bool,
}

#[derive(Debug, Deserialize)]
pub struct ProjectItem {
    pub content_type: String,
    /// Null if the visitor may not read it.
    pub content: Option<ItemContent>,
    #[serde(default)]
    pub fields: Vec<FieldValue>,
}

#[derive(Debug, Deserialize)]
pub struct ItemContent {
    pub number: i64,
    pub title: String,
    pub state: String,
    pub html_url: String,
}

#[derive(Debug, Deserialize)]
pub struct FieldValue {
    pub id: i64,
    #[serde(default)]
    pub value: Value,
}

#[derive(Debug, Deserialize)]
pub struct IssueField {
    pub name: String,
    pub description: Option<String>,
    pub data_type: String,
    pub visibility: String,
    pub options: Option<Vec<IssueFieldOption>>,
}

#[derive(Debug, Deserialize)]
pub struct IssueFieldOption {
    pub name: String,
    pub color: String,
}

/// The repositories of an installation that the visitor sees.
#[derive(Debug, Deserialize)]
pub struct SelectedRepositories {
    pub total_count: i64,
    pub repository_selection: String,
    pub repositories: Vec<Repository>,
}

/// A device that waits for approval.
#[derive(Debug, Deserialize)]
pub struct DeviceRequest {
    pub user_code: String,
    pub account: User,
    /// `None` for a browser that signs in.
    pub app: Option<DeviceApp>,
    pub permissions: Option<BTreeMap<String, String>>,
    pub scopes: Option<String>,
    pub missing_scopes: Vec<String>,
    pub expires_at: String,
    pub confirmation: String,
}

#[derive(Debug, Deserialize)]
pub struct DeviceApp {
    pub slug: String,
    pub name: String,
    pub owner: String,
}
