//! The types that a body's fields can have. Each reads itself, reports what is wrong, and describes itself as a JSON
//! schema.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use super::{Fields, FromJson};
use crate::wire::{Word, Words};

/// The keyword that marks a value of a response that may be null although its key may be absent. The document does not
/// show it.
pub const NULLABLE: &str = "x-nullable";

/// A JSON value of a body.
pub trait FromValue: Sized {
    /// What a value of another type is not, as in "1 is not a string."
    const EXPECTED: &'static str;
    /// Whether null is a value of this type.
    const HAS_NULL: bool = false;

    /// Reads the value of the field `name`, or reports why it cannot; `expected` is the text for a value of another
    /// type.
    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self>;
}

/// A key of a body: must be there unless its type is an `Option`.
pub trait FromField: Sized {
    fn from_field(fields: &mut Fields<'_>, name: &'static str) -> Option<Self>;
}

impl<T: FromValue> FromField for T {
    fn from_field(fields: &mut Fields<'_>, name: &'static str) -> Option<Self> {
        let Some(value) = fields.object.get(name) else {
            fields.missing.push(name);
            return None;
        };
        T::from_value(fields, name, value, T::EXPECTED)
    }
}

impl<T: FromValue> FromField for Option<T> {
    fn from_field(fields: &mut Fields<'_>, name: &'static str) -> Option<Self> {
        match fields.object.get(name) {
            None => Some(None),
            // Many clients send null for what they leave out.
            Some(Value::Null) if !T::HAS_NULL => Some(None),
            Some(value) => T::from_value(fields, name, value, T::EXPECTED).map(Some),
        }
    }
}

macro_rules! plain_values {
    ($($type:ty: $expected:literal, $read:expr;)+) => {$(
        impl FromValue for $type {
            const EXPECTED: &'static str = $expected;

            fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
                let read: fn(&Value) -> Option<$type> = $read;
                read(value).or_else(|| fields.mistyped(name, value, expected))
            }
        }
    )+};
}
plain_values! {
    String: "a string", |value| value.as_str().map(str::to_owned);
    i64: "an integer", Value::as_i64;
    bool: "a boolean", Value::as_bool;
}

impl<T: FromJson> FromValue for T {
    const EXPECTED: &'static str = "an object";

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        match value {
            Value::Object(object) => fields.nested(name, object),
            other => fields.mistyped(name, other, expected),
        }
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    const EXPECTED: &'static str = "an array";

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        let Value::Array(list) = value else { return fields.mistyped(name, value, expected) };
        let name = format!("{name}/items");
        // All items are read, so that all violations are reported.
        let items: Vec<Option<T>> = list.iter().map(|item| T::from_value(fields, &name, item, T::EXPECTED)).collect();
        items.into_iter().collect()
    }
}

/// A list with limits on its length.
#[derive(Debug)]
pub struct Bounded<T, const MIN: usize, const MAX: usize>(pub Vec<T>);

impl<T: FromValue, const MIN: usize, const MAX: usize> FromValue for Bounded<T, MIN, MAX> {
    const EXPECTED: &'static str = <Vec<T>>::EXPECTED;

    /// A list of the wrong length gets one sentence, not one for every item.
    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        match value.as_array().map(Vec::len) {
            Some(count) if count < MIN => {
                let items = if MIN == 1 { "item" } else { "items" };
                fields.violation(name, &format!("{MIN} {items} required; only {count} were supplied."))
            }
            Some(count) if count > MAX => {
                fields.violation(name, &format!("No more than {MAX} items are allowed; {count} were supplied."))
            }
            _ => Vec::from_value(fields, name, value, expected).map(Self),
        }
    }
}

impl<T: JsonSchema, const MIN: usize, const MAX: usize> JsonSchema for Bounded<T, MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        <Vec<T>>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = <Vec<T>>::json_schema(generator);
        if MIN > 0 {
            schema.insert("minItems".into(), MIN.into());
        }
        schema.insert("maxItems".into(), MAX.into());
        schema
    }
}

/// An object that GitHub describes apart from the body, so that violations in it do not name the key that it is under.
#[derive(Debug)]
pub struct Apart<T>(pub T);

impl<T: FromJson> FromValue for Apart<T> {
    const EXPECTED: &'static str = "an object";

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        match value {
            Value::Object(object) => fields.apart(object).map(Self),
            other => fields.mistyped(name, other, expected),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Apart<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// A value of which null is one, other than absence. As the type of a field it is `Option<Nullable<T>>`: absent, null, or
/// a value.
#[derive(Debug)]
pub struct Nullable<T>(pub Option<T>);

impl<T: FromValue> FromValue for Nullable<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    const HAS_NULL: bool = true;

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        if value.is_null() {
            return Some(Self(None));
        }
        T::from_value(fields, name, value, &format!("{expected} or null")).map(|value| Self(Some(value)))
    }
}

impl<T: JsonSchema> JsonSchema for Nullable<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        <Option<T>>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = <Option<T>>::json_schema(generator);
        if generator.contract().is_serialize() {
            schema.insert(NULLABLE.into(), true.into());
        }
        schema
    }
}

/// The value of a field that may be absent or null, where both mean the same.
pub fn flatten<T>(field: Option<Nullable<T>>) -> Option<T> {
    field.and_then(|Nullable(value)| value)
}

impl<T: Words> FromValue for Word<T> {
    const EXPECTED: &'static str = "a string";

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        let Value::String(text) = value else { return fields.mistyped(name, value, expected) };
        match T::from_word(text) {
            Some(word) => Some(Self(word)),
            None => fields.not_a_member(name, text, T::ALL.iter().map(|word| word.word())),
        }
    }
}
