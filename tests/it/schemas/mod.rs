//! Responses checked against GitHub's published schemas, which are in fields.json.

use serde_json::Value;

use crate::support::Response;

const FIELDS: &str = include_str!("fields.json");

/// Checks the body of a response to `operation` against the schema for its status.
#[track_caller]
pub fn check(operation: &str, response: &Response) {
    let published: Value = serde_json::from_str(FIELDS).expect("the descriptions are JSON");
    let schema = &published["responses"][operation][response.status.to_string()];
    assert!(schema.is_object(), "{operation} does not describe {response}");
    let definition = |name: &Value| &published["definitions"][name.as_str().expect("a definition has a name")];
    let body = response.json();
    let mut problems = Vec::new();
    match schema.get("array_of") {
        None => validate(definition(&schema["one"]), &body, "response", &mut problems),
        Some(name) => {
            for item in body.as_array().expect("the response is an array") {
                validate(definition(name), item, "item", &mut problems);
            }
        }
    }
    assert!(problems.is_empty(), "{operation}: {problems:#?}\n{response}");
}

/// The schema keywords that fields.json uses; any other is an error.
fn validate(schema: &Value, value: &Value, location: &str, problems: &mut Vec<String>) {
    let schema = schema.as_object().expect("a description is an object");
    if value.is_null() && schema.get("nullable") == Some(&Value::Bool(true)) {
        return;
    }
    for (word, argument) in schema {
        let fits = match word.as_str() {
            "type" => has_type(value, argument.as_str().expect("a type is a word")),
            "enum" => argument.as_array().expect("choices are a list").contains(value),
            "required" => {
                let names = argument.as_array().expect("names are a list").iter();
                names.filter_map(Value::as_str).all(|name| value.get(name).is_some())
            }
            "format" => has_format(value.as_str().unwrap_or_default(), argument.as_str().expect("a format is a word")),
            "oneOf" => argument.as_array().expect("choices are a list").iter().any(|choice| {
                let mut found = Vec::new();
                validate(choice, value, location, &mut found);
                found.is_empty()
            }),
            "properties" => {
                for (name, schema) in argument.as_object().expect("properties are an object") {
                    if let Some(inner) = value.get(name) {
                        validate(schema, inner, &format!("{location}.{name}"), problems);
                    }
                }
                true
            }
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    validate(argument, item, &format!("{location}[]"), problems);
                }
                true
            }
            "nullable" => true,
            other => panic!("{other:?} is not understood"),
        };
        if !fits {
            problems.push(format!("{location}: {value} is against {word} {argument}"));
        }
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64(),
        "boolean" => value.is_boolean(),
        other => panic!("{other:?} is not a type"),
    }
}

fn has_format(text: &str, name: &str) -> bool {
    let digits = |shape: &str| {
        let pairs = shape.bytes().zip(text.bytes());
        let fits = |(shape, byte): (u8, u8)| if shape == b'0' { byte.is_ascii_digit() } else { shape == byte };
        shape.len() == text.len() && pairs.into_iter().all(fits)
    };
    match name {
        "date" => digits("0000-00-00"),
        "date-time" => digits("0000-00-00T00:00:00Z"),
        other => panic!("{other:?} is not a format"),
    }
}

#[test]
fn checker_reports_schema_mismatch() {
    let schema = serde_json::json!({
        "type": "object",
        "required": ["id", "day"],
        "properties": { "id": { "type": "integer" }, "day": { "type": "string", "format": "date" },
                        "color": { "enum": ["red"], "nullable": true } },
    });
    let problems = |value: Value| {
        let mut problems = Vec::new();
        validate(&schema, &value, "x", &mut problems);
        problems.len()
    };
    assert_eq!(problems(serde_json::json!({ "id": 1, "day": "2026-01-31", "color": null })), 0);
    assert_eq!(problems(serde_json::json!({ "id": "1", "day": "2026-01-31T", "color": "blue" })), 3);
    assert_eq!(problems(serde_json::json!({ "id": 1 })), 1);
    assert_eq!(problems(serde_json::json!([])), 2);
}
