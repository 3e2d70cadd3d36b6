//! Executes a query: finds the value of each field, and reads what is needed for it.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::body::QueryResult as Outcome;
use super::document::Field;
use super::errors::{QueryError, QueryResult, invalid, undefined_field};
use super::reader::Reader;

/// An alias repeats a value as often as it is used.
const RESULT_BYTES_MAX: usize = 8 * 1024 * 1024;
pub const TYPE_NAME: &str = "__typename";

pub struct Executor {
    pub(super) reader: Reader,
    /// Where in the result the executor is, for errors.
    pub(super) path: Vec<String>,
    errors: Vec<Value>,
    result_bytes: usize,
}

impl Executor {
    pub fn new(reader: Reader) -> Self {
        Self { reader, path: Vec::new(), errors: Vec::new(), result_bytes: 0 }
    }

    pub async fn run(mut self, fields: &[Field]) -> QueryResult<Outcome> {
        let root = json!({ TYPE_NAME: "Query" });
        let data = self.object(&root, fields).await?;
        Ok(Outcome { data: Some(data), errors: self.errors })
    }

    /// The fields of an object that are asked for.
    async fn object(&mut self, object: &Value, fields: &[Field]) -> QueryResult<Map<String, Value>> {
        let type_name = object[TYPE_NAME].as_str().unwrap_or_default();
        let mut result = Map::new();
        for field in fields.iter().filter(|field| field.on_type.as_deref().is_none_or(|on| shows(type_name, on))) {
            self.path.push(field.key.clone());
            let value = match self.field(object, type_name, field).await {
                Ok(value) => self.value(value, field).await?,
                Err(QueryError::Null(error)) => {
                    self.errors.push(error);
                    Value::Null
                }
                Err(error) => return Err(error),
            };
            self.path.pop();
            merge(&mut result, &field.key, value);
        }
        Ok(result)
    }

    /// The selected parts of a value. Boxed, because values are nested.
    fn value<'a>(&'a mut self, value: Value, field: &'a Field) -> BoxFuture<'a, QueryResult<Value>> {
        async move {
            Ok(match value {
                Value::Object(_) if field.fields.is_empty() => {
                    return Err(invalid(format!("Field '{}' must have selections", field.name)));
                }
                Value::Object(_) => Value::Object(self.object(&value, &field.fields).await?),
                Value::Array(values) => {
                    let mut selected = Vec::with_capacity(values.len());
                    for value in values {
                        selected.push(self.value(value, field).await?);
                    }
                    selected.into()
                }
                scalar => {
                    self.result_bytes += field.key.len() + scalar.as_str().map_or(8, str::len);
                    if self.result_bytes > RESULT_BYTES_MAX {
                        return Err(invalid("Query has a result that is too large"));
                    }
                    scalar
                }
            })
        }
        .boxed()
    }

    /// A field that the object already has.
    pub(super) fn known(&self, object: &Value, type_name: &str, field: &Field) -> QueryResult<Value> {
        let known = object.get(&field.name).filter(|_| !field.name.starts_with('$'));
        known.cloned().ok_or_else(|| undefined_field(type_name, &field.name, &self.path, field.position))
    }
}

/// Whether an object shows the fields of a fragment: on its own type, or on an interface that it has.
fn shows(type_name: &str, on: &str) -> bool {
    let interfaces: &[&str] = match type_name {
        "User" => &["Actor", "Node"],
        "Organization" | "Bot" => &["Actor", "Node"],
        "Commit" | "Tag" | "Tree" | "Blob" => &["GitObject", "Node"],
        _ => &["Node"],
    };
    type_name == on || interfaces.contains(&on)
}

/// Two selections of one object are one.
fn merge(result: &mut Map<String, Value>, key: &str, value: Value) {
    match (result.get_mut(key), value) {
        (Some(Value::Object(known)), Value::Object(more)) => {
            for (key, value) in more {
                merge(known, &key, value);
            }
        }
        (_, value) => drop(result.insert(key.to_owned(), value)),
    }
}
