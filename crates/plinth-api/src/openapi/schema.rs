//! JSON schemas, derived from the types that bodies are read into and responses are written from.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};

use crate::request::shape::NULLABLE;

/// Makes the schema of a type, as a value of its own that a constant can contain.
pub type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// The schema of `T`: a reference where it is a component of the document.
pub fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Collects the schemas of one document. A key that a response always has may be absent from a body, so each has its
/// own generator.
pub struct Schemas {
    bodies: SchemaGenerator,
    responses: SchemaGenerator,
}

impl Schemas {
    pub fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        Self {
            bodies: settings.clone().for_deserialize().into_generator(),
            responses: settings.for_serialize().into_generator(),
        }
    }

    pub fn body(&mut self, schema: SchemaOf) -> Value {
        schema(&mut self.bodies).to_value()
    }

    pub fn response(&mut self, schema: SchemaOf) -> Value {
        finish(schema(&mut self.responses))
    }

    /// The schemas that the others refer to, by name.
    pub fn into_components(mut self) -> Map<String, Value> {
        let mut components = self.bodies.take_definitions(false);
        components.extend(self.responses.take_definitions(false).into_iter().map(|(name, schema)| {
            let schema = Schema::try_from(schema).expect("definitions are schemas");
            (name, finish(schema))
        }));
        components
    }
}

fn finish(mut schema: Schema) -> Value {
    AbsentInsteadOfNull.transform(&mut schema);
    schema.to_value()
}

/// A key of a response that may be absent is not null unless its type says so: responses skip what is `None`. Bodies take
/// null for absence.
struct AbsentInsteadOfNull;

impl Transform for AbsentInsteadOfNull {
    fn transform(&mut self, schema: &mut Schema) {
        let required: Vec<String> = strings(schema.get("required"));
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            for (_, property) in properties.iter_mut().filter(|(name, _)| !required.contains(name)) {
                if property.get(NULLABLE).is_none() {
                    remove_null(property);
                }
            }
        }
        schema.remove(NULLABLE);
        transform_subschemas(self, schema);
    }
}

fn strings(list: Option<&Value>) -> Vec<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn remove_null(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    if let Some(Value::Array(types)) = keywords.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            keywords.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(words)) = keywords.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    if let Some(Value::Array(alternatives)) = keywords.get_mut("anyOf") {
        alternatives.retain(|schema| schema.get("type") != Some(&"null".into()));
        if let [Value::Object(one)] = alternatives.as_slice() {
            let one = one.clone();
            keywords.remove("anyOf");
            keywords.extend(one);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::shape::Nullable;
    use serde::Serialize;
    use serde_json::json;

    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "part")]
    struct Part {
        id: i64,
    }

    #[derive(Serialize, JsonSchema)]
    #[schemars(inline)]
    struct Sent {
        /// Text.
        name: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<Part>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Nullable<Part>>")]
        other: Option<Option<Part>>,
    }

    #[derive(JsonSchema)]
    #[schemars(inline)]
    #[expect(dead_code, reason = "only its schema is tested")]
    struct Received {
        name: Option<String>,
        note: Option<Nullable<String>>,
        part: Part,
    }

    #[test]
    fn response_has_null_or_leaves_the_key_out() {
        let expected = json!({
            "type": "object",
            "properties": {
                "name": { "type": ["string", "null"], "description": "Text." },
                "note": { "type": "string" },
                "part": { "$ref": "#/components/schemas/part" },
                "other": { "anyOf": [{ "$ref": "#/components/schemas/part" }, { "type": "null" }] },
            },
            "required": ["name"],
        });
        let mut schemas = Schemas::new();
        assert_eq!(schemas.response(of::<Sent>), expected);
        assert!(schemas.into_components().contains_key("part"));
    }

    #[test]
    fn body_takes_null_for_absence() {
        let expected = json!({
            "type": "object",
            "properties": {
                "name": { "type": ["string", "null"] },
                "note": { "type": ["string", "null"] },
                "part": { "$ref": "#/components/schemas/part" },
            },
            "required": ["part"],
        });
        assert_eq!(Schemas::new().body(of::<Received>), expected);
    }
}
