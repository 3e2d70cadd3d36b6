//! The types that a field can be read as.

use serde_json::{Map, Value};

/// A type that a JSON value may have.
pub trait FromValue<'a>: Sized {
    const DESCRIPTION: &'static str;

    fn from_value(value: &'a Value) -> Option<Self>;
}

impl<'a> FromValue<'a> for String {
    const DESCRIPTION: &'static str = "a string";

    fn from_value(value: &'a Value) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl<'a> FromValue<'a> for Option<String> {
    const DESCRIPTION: &'static str = "a string or null";

    fn from_value(value: &'a Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            Value::String(text) => Some(Some(text.clone())),
            _ => None,
        }
    }
}

impl<'a> FromValue<'a> for i64 {
    const DESCRIPTION: &'static str = "an integer";

    fn from_value(value: &'a Value) -> Option<Self> {
        value.as_i64()
    }
}

impl<'a> FromValue<'a> for bool {
    const DESCRIPTION: &'static str = "a boolean";

    fn from_value(value: &'a Value) -> Option<Self> {
        value.as_bool()
    }
}

impl<'a> FromValue<'a> for &'a [Value] {
    const DESCRIPTION: &'static str = "an array";

    fn from_value(value: &'a Value) -> Option<Self> {
        value.as_array().map(Vec::as_slice)
    }
}

impl<'a> FromValue<'a> for Option<&'a [Value]> {
    const DESCRIPTION: &'static str = "an array or null";

    fn from_value(value: &'a Value) -> Option<Self> {
        if value.is_null() { Some(None) } else { value.as_array().map(|items| Some(items.as_slice())) }
    }
}

impl<'a> FromValue<'a> for &'a Map<String, Value> {
    const DESCRIPTION: &'static str = "an object";

    fn from_value(value: &'a Value) -> Option<Self> {
        value.as_object()
    }
}

impl<'a> FromValue<'a> for &'a Value {
    const DESCRIPTION: &'static str = "a value";

    fn from_value(value: &'a Value) -> Option<Self> {
        Some(value)
    }
}
