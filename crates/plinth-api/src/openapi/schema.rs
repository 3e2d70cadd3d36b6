//! The vocabulary in which requests and answers are described.

use serde_json::{Map, Value, json};

/// The shape of a JSON value.
#[derive(Debug, Clone, Copy)]
pub enum Schema {
    Text,
    Integer,
    Boolean,
    /// A moment, `YYYY-MM-DDTHH:MM:SSZ`.
    Time,
    /// A day, `YYYY-MM-DD`.
    Date,
    /// A whole address; templates with braces in them are plain text.
    Url,
    /// Forty hexadecimal digits.
    Sha,
    /// One of a few words.
    Word(&'static [&'static str]),
    /// One of the shapes that have a name of their own.
    Named(&'static str),
    List(&'static Schema),
    /// Names that are not known beforehand, with values of one shape.
    Map(&'static Schema),
    Object(&'static [Field]),
    /// An object of another shape with more in it.
    More(&'static Schema, &'static [Field]),
    AnyOf(&'static [Schema]),
    OrNull(&'static Schema),
    /// Whatever it is.
    Anything,
    /// Always null in this service.
    Null,
}

/// One key of an object.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    pub schema: Schema,
    pub about: &'static str,
    pub always: bool,
}

/// A key that is always there, or that must be sent.
pub const fn field(name: &'static str, schema: Schema, about: &'static str) -> Field {
    Field { name, schema, about, always: true }
}

/// A key that may be absent.
pub const fn maybe(name: &'static str, schema: Schema, about: &'static str) -> Field {
    Field { name, schema, about, always: false }
}

impl Schema {
    /// The same in the words of JSON Schema.
    pub fn to_json(self) -> Value {
        match self {
            Schema::Text => json!({ "type": "string" }),
            Schema::Integer => json!({ "type": "integer", "format": "int64" }),
            Schema::Boolean => json!({ "type": "boolean" }),
            Schema::Time => json!({ "type": "string", "format": "date-time" }),
            Schema::Date => json!({ "type": "string", "format": "date" }),
            Schema::Url => json!({ "type": "string", "format": "uri" }),
            Schema::Sha => json!({ "type": "string", "pattern": "^[0-9a-f]{40}$" }),
            Schema::Word(words) => json!({ "type": "string", "enum": words }),
            Schema::Named(name) => json!({ "$ref": format!("#/components/schemas/{name}") }),
            Schema::List(item) => json!({ "type": "array", "items": item.to_json() }),
            Schema::Map(value) => json!({ "type": "object", "additionalProperties": value.to_json() }),
            Schema::Object(fields) => object(fields),
            Schema::More(base, fields) => json!({ "allOf": [base.to_json(), object(fields)] }),
            Schema::AnyOf(shapes) => json!({ "anyOf": shapes.iter().map(|shape| shape.to_json()).collect::<Vec<_>>() }),
            Schema::OrNull(shape) => or_null(shape.to_json()),
            Schema::Anything => json!({}),
            Schema::Null => json!({ "type": "null" }),
        }
    }
}

fn object(fields: &[Field]) -> Value {
    let properties: Map<String, Value> = fields.iter().map(|field| (field.name.to_owned(), property(field))).collect();
    let required: Vec<&str> = fields.iter().filter(|field| field.always).map(|field| field.name).collect();
    let mut object = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        object["required"] = required.into();
    }
    object
}

fn property(field: &Field) -> Value {
    let mut property = field.schema.to_json();
    if !field.about.is_empty() {
        property["description"] = field.about.into();
    }
    property
}

/// A simple type gets a second one beside it; anything else becomes an alternative.
fn or_null(mut shape: Value) -> Value {
    match shape.get("type").and_then(Value::as_str).map(str::to_owned) {
        Some(name) if shape.get("enum").is_none() => {
            shape["type"] = json!([name, "null"]);
            shape
        }
        _ => json!({ "anyOf": [shape, { "type": "null" }] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_written_in_json_schema() {
        const USER: Schema =
            Schema::Object(&[field("id", Schema::Integer, "its number"), maybe("name", Schema::Text, "")]);
        for (schema, expected) in [
            (
                USER,
                json!({
                    "type": "object",
                    "properties": {
                        "id": { "type": "integer", "format": "int64", "description": "its number" },
                        "name": { "type": "string" }
                    },
                    "required": ["id"]
                }),
            ),
            (Schema::OrNull(&Schema::Text), json!({ "type": ["string", "null"] })),
            (
                Schema::OrNull(&Schema::Named("user")),
                json!({ "anyOf": [{ "$ref": "#/components/schemas/user" }, { "type": "null" }] }),
            ),
            (
                Schema::OrNull(&Schema::Word(&["a"])),
                json!({ "anyOf": [{ "type": "string", "enum": ["a"] }, { "type": "null" }] }),
            ),
            (Schema::List(&Schema::Date), json!({ "type": "array", "items": { "type": "string", "format": "date" } })),
        ] {
            assert_eq!(schema.to_json(), expected);
        }
    }
}
