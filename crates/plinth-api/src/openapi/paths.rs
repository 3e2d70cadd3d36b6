//! Paths of the document: a row of the policy table and its description become one operation.

use http::Method;
use serde_json::{Map, Value, json};

use super::operation::{Body, JSON, Operation, Parameter, Presence, Success, no_content, ok};
use super::schema::Schemas;
use super::{PATH_PARAMETERS, common, find, rights};
use crate::policy::Row;

/// All operations by path and method.
pub fn all(rows: &[&Row], schemas: &mut Schemas) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for row in rows {
        let item = paths.entry(template(row.paths[0])).or_insert_with(common::path_item);
        item[row.method.as_str().to_ascii_lowercase()] = operation(row, schemas);
    }
    Value::Object(paths)
}

/// OpenAPI has no syntax for a parameter that may contain slashes.
fn template(path: &str) -> String {
    path.replace("{*", "{")
}

/// A row without a description is listed as well; a test rejects it.
fn operation(row: &Row, schemas: &mut Schemas) -> Value {
    let mut shown = json!({
        "operationId": row.operation,
        "summary": row.operation,
        "externalDocs": { "url": format!("docs#{}", row.operation) },
        "security": rights::security(&row.rule),
        "x-plinth-access": rights::access(&row.rule),
        "parameters": path_parameters(row, schemas),
        "responses": {},
    });
    let Some((area, described)) = find(row.operation) else { return shown };
    shown["summary"] = described.summary.into();
    shown["tags"] = json!([area.name]);
    shown["description"] = description(described, row).into();
    let mut parameters = path_parameters(row, schemas);
    parameters.extend(described.query.iter().map(|parameter| query_parameter(parameter, schemas)));
    shown["parameters"] = parameters.into();
    if let Some(body) = &described.body {
        shown["requestBody"] = request_body(body, schemas);
    }
    shown["responses"] = responses(described, row, schemas);
    shown
}

fn description(described: &Operation, row: &Row) -> String {
    let mut paragraphs = vec![described.about.to_owned(), rights::sentence(&row.rule)];
    if row.paths.len() > 1 {
        let others: Vec<String> = row.paths[1..].iter().map(|path| format!("`{}`", template(path))).collect();
        paragraphs.push(format!("Also available at {}.", others.join(" and ")));
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs.join("\n\n")
}

fn path_parameters(row: &Row, schemas: &mut Schemas) -> Vec<Value> {
    let path = template(row.paths[0]);
    let names = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let known = names.filter_map(|name| PATH_PARAMETERS.iter().find(|part| part.name == name));
    known
        .map(|part| {
            let schema = schemas.body(part.schema);
            let example: Value = match part.example.parse::<i64>() {
                Ok(number) if schema["type"] == "integer" => number.into(),
                _ => part.example.into(),
            };
            json!({
                "name": part.name, "in": "path", "required": true, "description": part.about,
                "schema": schema, "example": example,
            })
        })
        .collect()
}

fn query_parameter(parameter: &Parameter, schemas: &mut Schemas) -> Value {
    let mut schema = schemas.body(parameter.schema);
    if !parameter.words.is_empty() {
        schema["enum"] = parameter.words.into();
    }
    let mut shown = json!({ "name": parameter.name, "in": "query", "schema": schema });
    if !parameter.about.is_empty() {
        shown["description"] = parameter.about.into();
    }
    shown
}

fn request_body(body: &Body, schemas: &mut Schemas) -> Value {
    let content = if body.media == JSON {
        let example: Value = serde_json::from_str(body.example).unwrap_or_default();
        json!({ "schema": schemas.body(body.schema), "example": example })
    } else {
        json!({})
    };
    json!({ "required": body.presence == Presence::Required, "content": { body.media: content } })
}

fn responses(described: &Operation, row: &Row, schemas: &mut Schemas) -> Value {
    let mut responses = common::error_responses(described, row);
    responses.insert(described.success.status.to_string(), success(&described.success, described, row, schemas));
    if let Some(means) = described.or_no_content {
        responses.insert("204".to_owned(), success(&no_content(means), described, row, schemas));
    }
    if let (Some(means), Some(schema)) = (described.or_ok, described.success.schema) {
        responses.insert("200".to_owned(), success(&ok(means, schema), described, row, schemas));
    }
    Value::Object(responses)
}

fn success(success: &Success, described: &Operation, row: &Row, schemas: &mut Schemas) -> Value {
    let mut shown = json!({ "description": success.means });
    let mut content: Map<String, Value> = success.media.iter().map(|media| ((*media).to_owned(), json!({}))).collect();
    if let Some(schema) = success.schema {
        let schema = schemas.response(schema);
        // The other media types of a JSON response may be text, such as a diff.
        for media in success.media.iter().filter(|media| media.ends_with("+json")) {
            content.insert((*media).to_owned(), json!({ "schema": schema }));
        }
        content.insert(JSON.to_owned(), json!({ "schema": schema }));
    }
    if !content.is_empty() {
        shown["content"] = content.into();
    }
    let is_paged = described.query.iter().any(|parameter| matches!(parameter.name, "page" | "after"));
    let headers = [
        ("Link", is_paged),
        ("ETag", row.method == Method::GET && success.schema.is_some()),
        ("Location", success.status == 201),
    ];
    let headers: Map<String, Value> = headers
        .into_iter()
        .filter(|(_, sent)| *sent)
        .map(|(name, _)| (name.to_owned(), json!({ "$ref": format!("#/components/headers/{name}") })))
        .collect();
    if !headers.is_empty() {
        shown["headers"] = headers.into();
    }
    shown
}
