//! Project fields on the wire.

use schemars::JsonSchema;
use serde::Serialize;

use crate::projects::json::RichText;
use crate::wire::{Date, Word, Words, words};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{IssueFieldId, NodeId, ProjectFieldId};
use plinth_base::urls::{Url, Urls};
use plinth_core::project_fields::model::Contents;
use plinth_core::project_fields::model::{self, DataType, Day};
use plinth_core::projects::{Color, Project};

words! {
    DataType:
        Assignees, LinkedPullRequests, Reviewers, Labels, Milestone, Repository, Title, Text, SingleSelect, Number, Date,
        Iteration, IssueType, ParentIssue, SubIssuesProgress
}

/// A color as project fields write it; issue fields write it in lower case.
#[derive(Debug, Clone, Copy)]
pub struct UpperColor(pub Color);

impl Words for UpperColor {
    const ALL: &'static [Self] = &[
        UpperColor(Color::Blue),
        UpperColor(Color::Gray),
        UpperColor(Color::Green),
        UpperColor(Color::Orange),
        UpperColor(Color::Pink),
        UpperColor(Color::Purple),
        UpperColor(Color::Red),
        UpperColor(Color::Yellow),
    ];

    fn word(self) -> &'static str {
        self.0.upper()
    }
}

/// A field of a project.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "project-field")]
pub struct ProjectField<'a> {
    id: ProjectFieldId,
    /// The issue field that this field mirrors.
    #[serde(skip_serializing_if = "Option::is_none")]
    issue_field_id: Option<IssueFieldId>,
    node_id: String,
    name: &'a str,
    data_type: Word<DataType>,
    /// The project that it belongs to.
    project_url: Url<'a>,
    /// Only for `single_select`.
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Vec<FieldOption<'a>>>,
    /// Only for `iteration`.
    #[serde(skip_serializing_if = "Option::is_none")]
    configuration: Option<Configuration<'a>>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// What the JSON of a field depends on besides the field.
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
            node_id: node_id(field.id, field.data_type, setting.project),
            name: &field.name,
            data_type: Word(field.data_type),
            project_url: setting.urls.project(setting.project.id),
            options: (field.data_type == DataType::SingleSelect)
                .then(|| contents.options_of(field.id).iter().map(FieldOption::new).collect()),
            configuration: Configuration::new(field, contents, setting.today),
            created_at: field.created_at,
            updated_at: field.updated_at,
        }
    }
}

pub fn node_id(field: ProjectFieldId, data_type: DataType, project: &Project) -> String {
    let prefix = match data_type {
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
    node.number(project.owner_id.0).number(project.id.0).number(field.0).finish()
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct FieldOption<'a> {
    id: &'a str,
    name: RichText<'a>,
    color: Word<UpperColor>,
    description: RichText<'a>,
}

impl<'a> FieldOption<'a> {
    pub fn new(option: &'a model::FieldOption) -> Self {
        Self {
            id: &option.option_id,
            name: RichText::new(&option.name),
            color: Word(UpperColor(option.color)),
            description: RichText::new(&option.description),
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Configuration<'a> {
    /// The day of the week on which iterations begin, 1 for Monday.
    start_day: i64,
    /// Days of an iteration, unless it has its own.
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

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Iteration<'a> {
    id: &'a str,
    #[schemars(with = "Date")]
    start_date: Day,
    /// Days.
    duration: i64,
    title: RichText<'a>,
    /// Whether its last day has passed.
    completed: bool,
}

impl<'a> Iteration<'a> {
    pub fn new(iteration: &'a model::Iteration, today: Day) -> Self {
        Self {
            id: &iteration.iteration_id,
            start_date: iteration.start_date,
            duration: iteration.duration,
            title: RichText::new(&iteration.title),
            completed: iteration.is_completed(today),
        }
    }
}
