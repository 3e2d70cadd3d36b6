//! Checks every response of every test against the OpenAPI description, so that neither can drift from the other.

use std::sync::{Arc, OnceLock};

use http::Method;
use serde_json::{Map, Value};

use super::{Response, recorded};
use plinth_api::openapi::Description;
use plinth_api::router;
use plinth_api::routes::Matcher;
use plinth_base::urls::Urls;

const SHA: &str = "^[0-9a-f]{40}$";

struct Api {
    document: Value,
    matcher: Arc<Matcher>,
}

fn api() -> &'static Api {
    static API: OnceLock<Api> = OnceLock::new();
    API.get_or_init(|| {
        let text = Description::of(router::routes().rows().collect()).document(&Urls::new("http://plinth.test", ""));
        let document = serde_json::from_str(&text).expect("the description is JSON");
        Api { document, matcher: router::matcher() }
    })
}

/// Panics if the description does not have this response.
pub fn check(method: &Method, target: &str, response: &Response) {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let path = path.strip_prefix("/api/v3").filter(|rest| rest.starts_with('/')).unwrap_or(path);
    let looked_up = if *method == Method::HEAD { &Method::GET } else { method };
    let Some((route, _)) = api().matcher.find(looked_up, path) else { return };
    // Browsers get the first page there, which is no operation.
    if path == "/" && response.header("content-type").is_some_and(|media| media.starts_with("text/html")) {
        return;
    }
    // The description has no 500; a test that causes one checks it itself.
    if response.status == 500 {
        return;
    }
    recorded::keep(route.row.operation, method, target, response);
    let template = route.row.paths[0].replace("{*", "{");
    let operation = &api().document["paths"][&template][looked_up.as_str().to_ascii_lowercase()];
    let description = match operation["responses"].get(response.status.to_string()) {
        Some(description) => resolve(description),
        None => panic!("{method} {target}: the description has no {}: {response}", response.status),
    };
    let unreadable = *method == Method::HEAD || response.status == 304 || response.header("content-encoding").is_some();
    let problem = if unreadable { Ok(()) } else { check_body(description, response) };
    if let Err(problem) = problem {
        panic!("{method} {target}: not as described: {problem}\n{response}");
    }
}

fn check_body(description: &Value, response: &Response) -> Result<(), String> {
    let Some(content) = description["content"].as_object() else {
        return if response.body.is_empty() { Ok(()) } else { Err("there is a body".into()) };
    };
    let media = response.header("content-type").and_then(|value| value.split(';').next()).unwrap_or_default();
    let described = content.get(media).ok_or_else(|| format!("the type is {media:?}"))?;
    match described.get("schema") {
        Some(schema) if media.ends_with("json") => check_value(schema, &response.json(), "the body"),
        _ => Ok(()),
    }
}

fn resolve(node: &Value) -> &Value {
    match node.get("$ref").and_then(Value::as_str) {
        Some(pointer) => {
            let target = api().document.pointer(pointer.trim_start_matches('#'));
            resolve(target.expect("references lead somewhere"))
        }
        None => node,
    }
}

fn check_value(schema: &Value, value: &Value, location: &str) -> Result<(), String> {
    let schema = resolve(schema);
    if let Some(shapes) = schema["anyOf"].as_array() {
        let problems: Vec<String> =
            shapes.iter().filter_map(|shape| check_value(shape, value, location).err()).collect();
        return if problems.len() < shapes.len() { Ok(()) } else { Err(problems.join(", and ")) };
    }
    if let Some(types) = schema.get("type") {
        let named = |name: &Value| name.as_str().is_some_and(|name| is_of_type(value, name));
        let fits = types.as_array().map_or_else(|| named(types), |types| types.iter().any(named));
        if !fits {
            return Err(format!("{location} is {value}, not {types}"));
        }
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        return Err(format!("{location} is {value}, none of {words:?}"));
    }
    match value {
        Value::String(text) => check_text(schema, text, location),
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.try_for_each(|(index, item)| check_value(&schema["items"], item, &format!("{location}[{index}]")))
        }
        Value::Object(object) => check_object(schema, object, location),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("the description uses the type {other}"),
    }
}

fn check_text(schema: &Value, text: &str, location: &str) -> Result<(), String> {
    let like = |pattern: &str| {
        let digit = |(byte, sample): (u8, u8)| if sample == b'0' { byte.is_ascii_digit() } else { byte == sample };
        text.len() == pattern.len() && text.bytes().zip(pattern.bytes()).all(digit)
    };
    let fits = match schema["format"].as_str() {
        Some("date-time") => like("0000-00-00T00:00:00Z") || like("0000-00-00T00:00:00.000Z"),
        Some("date") => like("0000-00-00"),
        Some("uri") => text.starts_with("http") && text.contains("://") && !text.contains(['{', ' ']),
        _ => true,
    };
    let is_sha = text.len() == 40 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let fits = fits && (schema["pattern"] != SHA || is_sha);
    if fits { Ok(()) } else { Err(format!("{location} is {text:?}, which does not fit {schema}")) }
}

/// Responses are described completely: a field that the description does not name is an error too.
fn check_object(schema: &Value, object: &Map<String, Value>, location: &str) -> Result<(), String> {
    let parts: Vec<&Value> = match schema["allOf"].as_array() {
        Some(parts) => parts.iter().map(resolve).collect(),
        None => vec![schema],
    };
    // A schema without constraints allows anything below it.
    let is_open = schema.as_object().is_none_or(Map::is_empty);
    for part in &parts {
        for name in part["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                return Err(format!("{location} has no {name}"));
            }
        }
    }
    for (name, value) in object {
        let property =
            parts.iter().find_map(|part| part["properties"].get(name).or_else(|| part.get("additionalProperties")));
        match property {
            Some(property) => check_value(property, value, &format!("{location}.{name}"))?,
            None if is_open => {}
            None => return Err(format!("{location} has {name}, which the description does not have")),
        }
    }
    Ok(())
}
