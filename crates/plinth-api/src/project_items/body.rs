//! Bodies of the operations on project items.

use schemars::JsonSchema;
use serde_json::Value;

use crate::request::shape::{Bounded, Fields, FromJson, FromValue, Nullable, from_json};
use crate::wire::{Word, words};
use plinth_base::ids::ProjectFieldId;
use plinth_core::project_items::{ContentKind, FieldChange, NewItem, ValueInput};

words! { ContentKind: Issue, PullRequest }

/// A project has no more fields.
const FIELDS_MAX: usize = 50;

/// The issue or pull request to add, by its id or by its number.
#[derive(JsonSchema)]
#[schemars(inline, untagged)]
pub enum AddItemBody {
    ById(ByIdBody),
    ByNumber(ByNumberBody),
}

#[derive(JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct ByIdBody {
    r#type: Word<ContentKind>,
    /// The `id` of the issue or pull request.
    id: i64,
}
from_json!(
    #[deny_unknown_fields]
    ByIdBody { r#type, id }
);

#[derive(JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct ByNumberBody {
    r#type: Word<ContentKind>,
    /// The login of the owner of the repository.
    owner: String,
    repo: String,
    number: i64,
}
from_json!(
    #[deny_unknown_fields]
    ByNumberBody { r#type, owner, repo, number }
);

impl FromJson for AddItemBody {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        fields.permit_null(&["id", "owner", "repo", "number"]);
        if fields.has("id") {
            return ByIdBody::from_json(fields).map(Self::ById);
        }
        ByNumberBody::from_json(fields).map(Self::ByNumber)
    }
}

impl From<AddItemBody> for NewItem {
    fn from(body: AddItemBody) -> Self {
        match body {
            AddItemBody::ById(ByIdBody { r#type: Word(kind), id }) => Self::ById { kind, id },
            AddItemBody::ByNumber(ByNumberBody { r#type: Word(kind), owner, repo, number }) => {
                Self::ByNumber { kind, owner, repo, number }
            }
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct UpdateItemBody {
    /// Other fields stay as they are.
    fields: Bounded<FieldBody, 0, FIELDS_MAX>,
}
from_json!(UpdateItemBody { fields });

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct FieldBody {
    /// The `id` of a field of the project.
    id: i64,
    /// A text, a number, a date, or the id of an option or iteration; null clears the value.
    value: Nullable<ValueBody>,
}
from_json!(FieldBody { id, value });

#[derive(JsonSchema)]
#[schemars(inline, untagged)]
pub enum ValueBody {
    Text(String),
    Number(f64),
}

impl FromValue for ValueBody {
    const EXPECTED: &'static str = "a string or number";

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        match (value.as_str(), value.as_f64()) {
            (Some(text), _) => Some(Self::Text(text.to_owned())),
            (None, Some(number)) => Some(Self::Number(number)),
            (None, None) => fields.mistyped(name, value, expected),
        }
    }
}

impl From<UpdateItemBody> for Vec<FieldChange> {
    fn from(body: UpdateItemBody) -> Self {
        let change = |FieldBody { id, value: Nullable(value) }| {
            let value = value.map(|value| match value {
                ValueBody::Text(text) => ValueInput::Text(text),
                ValueBody::Number(number) => ValueInput::Number(number),
            });
            FieldChange { field: ProjectFieldId(id), value }
        };
        body.fields.0.into_iter().map(change).collect()
    }
}
