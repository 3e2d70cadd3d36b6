//! Bodies of the operations on references.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::request::shape::{Fields, FromValue, from_json};
use plinth_base::ids::Sha;
use plinth_core::ref_updates::{NewRef, RefUpdate};

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateRefBody {
    /// The full name, such as `refs/heads/feature`.
    r#ref: String,
    /// The id of the object that the reference is to point at.
    sha: ShaText,
}
from_json!(CreateRefBody { r#ref, sha });

impl From<CreateRefBody> for NewRef {
    fn from(body: CreateRefBody) -> Self {
        Self { name: body.r#ref, sha: body.sha.0 }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct UpdateRefBody {
    /// The id of the object that the reference is to point at.
    sha: ShaText,
    /// Whether to move the reference even if that is not a fast-forward. False by default.
    force: Option<bool>,
}
from_json!(UpdateRefBody { sha, force });

impl From<UpdateRefBody> for RefUpdate {
    fn from(body: UpdateRefBody) -> Self {
        Self { sha: body.sha.0, force: body.force.unwrap_or(false) }
    }
}

/// A text as long as an object id. Whether it is one, and names an object, is checked in the repository.
struct ShaText(String);

impl FromValue for ShaText {
    const EXPECTED: &'static str = String::EXPECTED;

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        const LENGTH: usize = Sha::HEX_LENGTH;
        let text = String::from_value(fields, name, value, expected)?;
        match text.chars().count() {
            LENGTH => Some(Self(text)),
            count if count < LENGTH => {
                fields.violation_here(format!("At least {LENGTH} characters are required; only {count} were supplied."))
            }
            count => fields.violation_here(format!("Only {LENGTH} characters are allowed; {count} were supplied.")),
        }
    }
}

impl JsonSchema for ShaText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "sha-text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": Sha::HEX_LENGTH, "maxLength": Sha::HEX_LENGTH })
    }
}
