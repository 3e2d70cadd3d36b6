//! Bodies of the operations on issues.

use schemars::JsonSchema;
use serde_json::Value;

use crate::app::App;
use crate::request::body::{BYTES_MAX, collect, parse_object};
use crate::request::handler::{ApiRequest, FromRequest};
use crate::request::shape::{self, Bounded, Fields, FromValue, Nullable, flatten, from_json};
use crate::wire::{Word, words};
use plinth_base::error::Result;
use plinth_base::ids::IssueFieldId;
use plinth_core::issue_field_values::{FieldValueInput, NewFieldValue};
use plinth_core::issues::{IssueChanges, IssueState, NewIssue, StateReason};
use plinth_core::labels::NewLabel;

words! { IssueState: Open, Closed }
words! { StateReason: Completed, NotPlanned, Duplicate, Reopened }

/// More names of labels than an issue can have are rejected with the body.
const LABELS_MAX: usize = 100;
const VALUES_MAX: usize = 25;

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateIssueBody {
    title: Title,
    /// Markdown.
    body: Option<Nullable<String>>,
    /// The login of one assignee; `assignees` is the newer key.
    assignee: Option<Nullable<String>>,
    /// Ignored for callers who may not set them, as the next two.
    labels: Option<Bounded<LabelItem, 0, LABELS_MAX>>,
    /// Logins.
    assignees: Option<Vec<AssigneeItem>>,
    issue_field_values: Option<Bounded<FieldValueBody, 0, VALUES_MAX>>,
}
from_json!(CreateIssueBody { title, body, assignee, labels, assignees, issue_field_values });

impl From<CreateIssueBody> for NewIssue {
    fn from(new: CreateIssueBody) -> Self {
        let one = flatten(new.assignee).filter(|login| !login.is_empty());
        let several = new.assignees.map(logins);
        Self {
            title: new.title.into(),
            body: flatten(new.body),
            labels: new.labels.map(label_names).unwrap_or_default(),
            assignees: several.unwrap_or_else(|| one.into_iter().collect()),
            field_values: new.issue_field_values.map(field_values).unwrap_or_default(),
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct UpdateIssueBody {
    /// Null changes nothing.
    title: Option<Nullable<Title>>,
    /// Markdown.
    body: Option<Nullable<String>>,
    state: Option<Word<IssueState>>,
    state_reason: Option<Word<StateReason>>,
    /// The login of the only assignee; `assignees` is the newer key.
    assignee: Option<Nullable<String>>,
    /// Replace all labels. Ignored for callers who may not set them, as the next two.
    labels: Option<Bounded<LabelItem, 0, LABELS_MAX>>,
    /// Logins. They replace all assignees.
    assignees: Option<Vec<AssigneeItem>>,
    issue_field_values: Option<Bounded<FieldValueBody, 0, VALUES_MAX>>,
}
from_json!(UpdateIssueBody { title, body, state, state_reason, assignee, labels, assignees, issue_field_values });

impl From<UpdateIssueBody> for IssueChanges {
    fn from(changes: UpdateIssueBody) -> Self {
        let one = changes.assignee.map(|Nullable(login)| login.filter(|login| !login.is_empty()).into_iter().collect());
        Self {
            title: flatten(changes.title).map(Into::into),
            body: changes.body.map(|Nullable(body)| body),
            state: changes.state.map(|Word(state)| state),
            state_reason: changes.state_reason.map(|Word(reason)| reason),
            labels: changes.labels.map(label_names),
            assignees: changes.assignees.map(logins).or(one),
            field_values: changes.issue_field_values.map(field_values).unwrap_or_default(),
        }
    }
}

/// A text, or a number that becomes one.
#[derive(JsonSchema)]
#[schemars(inline, untagged)]
pub enum Title {
    Text(String),
    Number(i64),
}

impl FromValue for Title {
    const EXPECTED: &'static str = "a string";

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        match (value.as_str(), value.as_i64()) {
            (Some(text), _) => Some(Title::Text(text.to_owned())),
            (None, Some(number)) => Some(Title::Number(number)),
            (None, None) => fields.mistyped(name, value, expected),
        }
    }
}

impl From<Title> for String {
    fn from(title: Title) -> Self {
        match title {
            Title::Text(text) => text,
            Title::Number(number) => number.to_string(),
        }
    }
}

/// The name of a label, alone or in an object.
#[derive(JsonSchema)]
#[schemars(inline, untagged)]
pub enum LabelItem {
    Name(String),
    Object(LabelObject),
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct LabelObject {
    name: String,
    /// For a label that does not exist yet.
    color: Option<String>,
    description: Option<String>,
}
from_json!(LabelObject { name, color, description });

impl FromValue for LabelItem {
    const EXPECTED: &'static str = "a string";

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        match value {
            Value::Object(object) => fields.nested(name, object).map(LabelItem::Object),
            other => String::from_value(fields, name, other, expected).map(LabelItem::Name),
        }
    }
}

impl From<LabelItem> for NewLabel {
    fn from(item: LabelItem) -> Self {
        match item {
            LabelItem::Name(name) => NewLabel::named(name),
            LabelItem::Object(LabelObject { name, color, description }) => NewLabel { name, color, description },
        }
    }
}

fn label_names<const MAX: usize>(Bounded(labels): Bounded<LabelItem, 0, MAX>) -> Vec<NewLabel> {
    labels.into_iter().map(Into::into).collect()
}

/// A login, alone or in an object.
#[derive(JsonSchema)]
#[schemars(inline, untagged)]
pub enum AssigneeItem {
    Login(String),
    Object(AssigneeObject),
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct AssigneeObject {
    login: String,
}
from_json!(AssigneeObject { login });

impl FromValue for AssigneeItem {
    const EXPECTED: &'static str = "a string";

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        match value {
            Value::Object(object) => fields.nested(name, object).map(AssigneeItem::Object),
            other => String::from_value(fields, name, other, expected).map(AssigneeItem::Login),
        }
    }
}

fn logins(items: Vec<AssigneeItem>) -> Vec<String> {
    let login = |item| match item {
        AssigneeItem::Login(login) | AssigneeItem::Object(AssigneeObject { login }) => login,
    };
    items.into_iter().map(login).collect()
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct AssigneesBody {
    /// Logins.
    assignees: Option<Vec<AssigneeItem>>,
}
from_json!(AssigneesBody { assignees });

impl AssigneesBody {
    pub fn logins(self) -> Vec<String> {
        self.assignees.map(logins).unwrap_or_default()
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct LabelsBody {
    labels: Option<Bounded<LabelItem, 0, LABELS_MAX>>,
}
from_json!(LabelsBody { labels });

/// The labels of a body. Several clients send the list alone, without an object around it.
pub struct Labels(pub Vec<NewLabel>);

impl FromRequest for Labels {
    async fn from_request(request: &mut ApiRequest, _: &App) -> Result<Self> {
        let bytes = collect(request.take_body(), BYTES_MAX).await?;
        let is_list = bytes.trim_ascii_start().starts_with(b"[");
        let object = match is_list {
            true => parse_object(&[b"{\"labels\":", bytes.as_ref(), b"}"].concat())?,
            false => parse_object(&bytes)?,
        };
        let LabelsBody { labels } = shape::read(&object)?;
        Ok(Self(labels.map(label_names).unwrap_or_default()))
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct FieldValuesBody {
    issue_field_values: Bounded<FieldValueBody, 0, VALUES_MAX>,
}
from_json!(FieldValuesBody { issue_field_values });

impl From<FieldValuesBody> for Vec<NewFieldValue> {
    fn from(body: FieldValuesBody) -> Self {
        field_values(body.issue_field_values)
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct FieldValueBody {
    /// The `id` of an issue field.
    field_id: i64,
    value: FieldValueItem,
}
from_json!(FieldValueBody { field_id, value });

/// A text, a date, a number, the name of an option, or a list of names.
#[derive(JsonSchema)]
#[schemars(inline, untagged)]
pub enum FieldValueItem {
    Text(String),
    Number(f64),
    List(Vec<String>),
}

impl FromValue for FieldValueItem {
    const EXPECTED: &'static str = "a string";

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        match value {
            Value::Array(_) => Vec::from_value(fields, name, value, expected).map(FieldValueItem::List),
            Value::Number(number) => number.as_f64().map(FieldValueItem::Number),
            other => String::from_value(fields, name, other, expected).map(FieldValueItem::Text),
        }
    }
}

fn field_values<const MAX: usize>(Bounded(values): Bounded<FieldValueBody, 0, MAX>) -> Vec<NewFieldValue> {
    let value = |FieldValueBody { field_id, value }| {
        let value = match value {
            FieldValueItem::Text(text) => FieldValueInput::Text(text),
            FieldValueItem::Number(number) => FieldValueInput::Number(number),
            FieldValueItem::List(names) => FieldValueInput::List(names),
        };
        NewFieldValue { field: IssueFieldId(field_id), value }
    };
    values.into_iter().map(value).collect()
}
