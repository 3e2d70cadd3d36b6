//! Project fields on the wire.

use serde::Serialize;

use crate::projects::json::RichText;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{IssueFieldId, NodeId, ProjectFieldId};
use plinth_base::urls::{Url, Urls};
use plinth_core::project_fields::model::Contents;
use plinth_core::project_fields::model::{self, DataType, Day};
use plinth_core::projects::Project;

/// A field as clients see it.
#[derive(Serialize)]
pub struct ProjectField<'a> {
    id: ProjectFieldId,
    #[serde(skip_serializing_if = "Option::is_none")]
    issue_field_id: Option<IssueFieldId>,
    node_id: String,
    name: &'a str,
    data_type: &'static str,
    project_url: Url<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Vec<FieldOption<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    configuration: Option<Configuration<'a>>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// What a field is shown with besides itself.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub project: &'a Project,
    pub contents: &'a Contents,
    pub today: Day,
    pub urls: &'a Urls,
}

impl<'a> ProjectField<'a> {
    pub fn new(field: &'a model::ProjectField, setting: Setting<'a>) -> Self {
        let contents = setting.contents;
        Self {
            id: field.id,
            issue_field_id: field.issue_field_id,
            node_id: node_id(field, setting.project),
            name: &field.name,
            data_type: field.data_type.as_str(),
            project_url: setting.urls.project(setting.project.id),
            options: (field.data_type == DataType::SingleSelect)
                .then(|| contents.options_of(field.id).iter().map(FieldOption::new).collect()),
            configuration: Configuration::new(field, contents, setting.today),
            created_at: field.created_at,
            updated_at: field.updated_at,
        }
    }
}

fn node_id(field: &model::ProjectField, project: &Project) -> String {
    let prefix = match field.data_type {
        DataType::SingleSelect => "PVTSSF",
        DataType::Iteration => "PVTIF",
        DataType::Assignees
        | DataType::LinkedPullRequests
        | DataType::Reviewers
        | DataType::Labels
        | DataType::Milestone
        | DataType::Repository
        | DataType::Title
        | DataType::Text
        | DataType::Number
        | DataType::Date
        | DataType::IssueType
        | DataType::ParentIssue
        | DataType::SubIssuesProgress => "PVTF",
    };
    let node = NodeId::new(prefix, project.node_scope());
    node.number(project.owner_id.0).number(project.id.0).number(field.id.0).finish()
}

#[derive(Serialize)]
struct FieldOption<'a> {
    id: &'a str,
    name: RichText<'a>,
    color: &'static str,
    description: RichText<'a>,
}

impl<'a> FieldOption<'a> {
    fn new(option: &'a model::FieldOption) -> Self {
        Self {
            id: &option.option_id,
            name: RichText::new(&option.name),
            color: option.color.upper(),
            description: RichText::new(&option.description),
        }
    }
}

#[derive(Serialize)]
struct Configuration<'a> {
    start_day: i64,
    duration: i64,
    iterations: Vec<Iteration<'a>>,
}

impl<'a> Configuration<'a> {
    fn new(field: &'a model::ProjectField, contents: &'a Contents, today: Day) -> Option<Self> {
        let iterations = contents.iterations_of(field.id).iter();
        Some(Self {
            start_day: field.iteration_start_day?,
            duration: field.iteration_duration?,
            iterations: iterations.map(|iteration| Iteration::new(iteration, today)).collect(),
        })
    }
}

#[derive(Serialize)]
struct Iteration<'a> {
    id: &'a str,
    start_date: Day,
    duration: i64,
    title: RichText<'a>,
    completed: bool,
}

impl<'a> Iteration<'a> {
    fn new(iteration: &'a model::Iteration, today: Day) -> Self {
        Self {
            id: &iteration.iteration_id,
            start_date: iteration.start_date,
            duration: iteration.duration,
            title: RichText::new(&iteration.title),
            completed: iteration.is_completed(today),
        }
    }
}
