//! What many operations share: errors, headers, and the words at the beginning.

use http::Method;
use serde_json::{Map, Value, json};

use super::operation::Operation;
use super::schema::Schema::{self, AnyOf, List, Named, Object, Text};
use super::schema::{field, maybe};
use crate::negotiation::Version;
use crate::policy::{Row, Wire};

/// Refusals that operations have by their method, path and body.
const REFUSALS: &[(u16, &str, &str)] = &[
    (400, "BadRequest", "The request cannot be read: broken JSON, an unknown API version, a token in the query."),
    (401, "Unauthenticated", "There is no credential where one is needed, or it is not good."),
    (403, "Forbidden", "The credential is of the wrong kind or has too little right, or a budget is used up."),
    (404, "NotFound", "Absent, or not visible to this caller; the two look the same."),
    (413, "BodyTooLarge", "The body is larger than a mebibyte."),
    (414, "UriTooLong", "The address is longer than 8 KiB."),
    (415, "NotAcceptable", "None of the media types in `Accept` can be served."),
    (
        422,
        "Invalid",
        "The values cannot be processed, a date in a header is not one, or the endpoint has been spammed.",
    ),
    (431, "HeadersTooLarge", "The headers are larger than 16 KiB."),
    (503, "Unavailable", "Too much at once; `Retry-After` says when to try again."),
];

const ERROR: Schema = Object(&[
    field("message", Text, ""),
    maybe("errors", List(&AnyOf(&[Named("field-error"), Text])), "What is wrong, one by one."),
    field("documentation_url", Schema::Url, "Leads to the description of the operation."),
    field("status", Text, "The status code, as text."),
]);

const FIELD_ERROR: Schema = Object(&[
    field("resource", Text, ""),
    field("code", Text, ""),
    field("field", Text, ""),
    maybe("message", Text, ""),
]);

pub fn error_schemas() -> impl Iterator<Item = (String, Value)> {
    [("error", ERROR), ("field-error", FIELD_ERROR)]
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema.to_json()))
}

pub fn info() -> Value {
    json!({
        "title": "Plinth",
        "version": env!("CARGO_PKG_VERSION"),
        "summary": "A GitHub-compatible REST API over real Git repositories",
        "description": "Project fields, issue fields, pull request review comments, Git references and app installations, with what \
            clients need around them. Every path answers below `/api/v3` as well.",
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
            "description": "The version of the API; the newest unless given. `X-GitHub-Api-Version` means the same.",
            "schema": { "type": "string", "enum": Version::ALL.map(Version::as_str) },
        }
    })
}

pub fn headers() -> Value {
    json!({
        "Link": {
            "description": "Addresses of the other pages: `first`, `prev`, `next`, `last`. Absent where there is only one page.",
            "schema": { "type": "string" },
        },
        "ETag": {
            "description": "For `If-None-Match`: asking again costs nothing where the answer is still the same.",
            "schema": { "type": "string" },
        },
        "Location": { "description": "The address of what was made.", "schema": { "type": "string" } },
    })
}

pub fn responses() -> Value {
    let mut responses: Map<String, Value> =
        REFUSALS.iter().map(|(_, name, means)| ((*name).to_owned(), error_response(means))).collect();
    responses.insert("NotModified".into(), json!({ "description": "What the client holds is still the same." }));
    Value::Object(responses)
}

fn error_response(means: &str) -> Value {
    json!({
        "description": means,
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/error" } } },
    })
}

/// All refusals of an operation by status: those of its kind, and its own in place of them.
pub fn refusals(described: &Operation, row: &Row) -> Map<String, Value> {
    let mut refusals = Map::new();
    if row.method == Method::GET {
        refusals.insert("304".into(), json!({ "$ref": "#/components/responses/NotModified" }));
    }
    for (status, name, means) in REFUSALS {
        let applies = match status {
            404 => row.paths[0].contains('{'),
            413 => described.body.is_some(),
            // A condition of a reading request may be no date.
            422 => described.body.is_some() || row.method == Method::GET,
            _ => true,
        };
        if applies {
            refusals.insert(status.to_string(), to_git(row, means).unwrap_or_else(|| reference(name)));
        }
    }
    for (status, means) in described.refusals {
        refusals.insert(status.to_string(), error_response(means));
    }
    refusals
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/responses/{name}") })
}

/// Git shows refusals to its user line by line, so they are text.
fn to_git(row: &Row, means: &str) -> Option<Value> {
    (row.wire == Wire::Git).then(|| json!({ "description": means, "content": { "text/plain": {} } }))
}
