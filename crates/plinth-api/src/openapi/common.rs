//! What many operations share: errors, headers and parameters; and the introduction.

use http::Method;
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::operation::Operation;
use super::schema::{Schemas, of};
use crate::negotiation::Version;
use crate::policy::{Row, Wire};
use plinth_base::urls::Url;

const ERROR_SCHEMA: &str = "#/components/schemas/error";

/// The error responses of operations, by their method, path and body.
const ERRORS: &[(u16, &str, &str)] = &[
    (400, "BadRequest", "The request cannot be parsed: invalid JSON, an unknown API version, or a token in the query."),
    (401, "Unauthenticated", "The operation needs a credential, or the credential is not valid."),
    (403, "Forbidden", "The kind of credential is not accepted, a right is missing, or a rate limit is exceeded."),
    (404, "NotFound", "Does not exist, or is not visible to the caller; both look the same."),
    (413, "BodyTooLarge", "The body is larger than a mebibyte."),
    (414, "UriTooLong", "The URL is longer than 8 KiB."),
    (415, "NotAcceptable", "None of the media types in `Accept` is available."),
    (
        422,
        "Invalid",
        "The values cannot be processed, a header contains an invalid date, or the endpoint has been spammed.",
    ),
    (431, "HeadersTooLarge", "The headers are larger than 16 KiB."),
    (503, "Unavailable", "The server is overloaded; `Retry-After` says when to try again."),
];

/// The envelope of every error. It is written key by key, because which keys it has depends on the error.
#[derive(JsonSchema)]
#[schemars(rename = "error")]
#[expect(dead_code, reason = "only its schema is used")]
struct ErrorEnvelope {
    message: String,
    /// Each problem on its own.
    errors: Option<Vec<Problem>>,
    /// The description of the operation.
    documentation_url: Url<'static>,
    /// The status code, as text.
    status: String,
}

#[derive(JsonSchema)]
#[schemars(inline, untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Problem {
    Field(FieldProblem),
    Text(String),
}

#[derive(JsonSchema)]
#[schemars(rename = "field-error")]
#[expect(dead_code, reason = "only its schema is used")]
struct FieldProblem {
    resource: String,
    code: String,
    /// Absent if the error is about the resource as a whole.
    field: Option<String>,
    message: Option<String>,
}

pub fn info() -> Value {
    json!({
        "title": "Plinth",
        "version": env!("CARGO_PKG_VERSION"),
        "summary": "A GitHub-compatible REST API over real Git repositories",
        "description": "Project fields, issue fields, pull request review comments, Git references and app installations, and what \
            clients need for them. Every path is also available below `/api/v3`.",
        "license": { "name": "MIT or Apache-2.0", "identifier": "MIT OR Apache-2.0" },
    })
}

/// A new path, with the header that every operation takes.
pub fn path_item() -> Value {
    json!({ "parameters": [{ "$ref": "#/components/parameters/api-version" }] })
}

pub fn parameters() -> Value {
    json!({
        "api-version": {
            "name": "X-Service-Api-Version",
            "in": "header",
            "description": "The version of the API; the newest by default. `X-GitHub-Api-Version` means the same.",
            "schema": { "type": "string", "enum": Version::ALL.map(Version::as_str) },
        }
    })
}

pub fn headers() -> Value {
    json!({
        "Link": {
            "description": "URLs of the other pages: `first`, `prev`, `next`, `last`. Absent if there is only one page.",
            "schema": { "type": "string" },
        },
        "ETag": {
            "description": "For `If-None-Match`: a response that has not changed does not count against the rate limit.",
            "schema": { "type": "string" },
        },
        "Location": { "description": "The URL of the new resource.", "schema": { "type": "string" } },
    })
}

pub fn responses(schemas: &mut Schemas) -> Value {
    let schema = schemas.body(of::<ErrorEnvelope>);
    debug_assert_eq!(schema, json!({ "$ref": ERROR_SCHEMA }));
    let mut responses: Map<String, Value> =
        ERRORS.iter().map(|(_, name, means)| ((*name).to_owned(), error_response(means))).collect();
    responses.insert("NotModified".into(), json!({ "description": "The client's copy is current." }));
    Value::Object(responses)
}

fn error_response(means: &str) -> Value {
    json!({
        "description": means,
        "content": { "application/json": { "schema": { "$ref": ERROR_SCHEMA } } },
    })
}

/// All error responses of an operation by status: those of every such operation, replaced by its own.
pub fn error_responses(described: &Operation, row: &Row) -> Map<String, Value> {
    let mut responses = Map::new();
    if row.method == Method::GET {
        responses.insert("304".into(), json!({ "$ref": "#/components/responses/NotModified" }));
    }
    for (status, name, means) in ERRORS {
        let applies = match status {
            404 => row.paths[0].contains('{'),
            413 => described.body.is_some(),
            // A GET request may have an invalid date in `If-Modified-Since`.
            422 => described.body.is_some() || row.method == Method::GET,
            _ => true,
        };
        if applies {
            responses.insert(status.to_string(), to_git(row, means).unwrap_or_else(|| reference(name)));
        }
    }
    for (status, means) in described.errors {
        responses.insert(status.to_string(), error_response(means));
    }
    responses
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/responses/{name}") })
}

/// The git program prints errors line by line, so they are text.
fn to_git(row: &Row, means: &str) -> Option<Value> {
    (row.wire == Wire::Git).then(|| json!({ "description": means, "content": { "text/plain": {} } }))
}
