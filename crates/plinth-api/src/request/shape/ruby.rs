//! Values in the notation of the sentences that clients know.

use std::fmt::Write;

use serde_json::Value;

/// A value as those sentences show it.
pub struct Ruby<'a>(pub &'a Value);

impl std::fmt::Display for Ruby<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const LENGTH_MAX: usize = 200;
        let mut text = String::new();
        write_ruby(self.0, &mut text, true);
        match text.char_indices().nth(LENGTH_MAX) {
            Some((end, _)) => write!(out, "{}…", &text[..end]),
            None => out.write_str(&text),
        }
    }
}

fn write_ruby(value: &Value, out: &mut String, outermost: bool) {
    match value {
        Value::Null => out.push_str("nil"),
        Value::String(text) if outermost => out.push_str(text),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            write!(out, "{value}").expect("writing to a string always succeeds");
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_ruby(item, out, false);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (index, (key, item)) in object.iter().enumerate() {
                write!(out, "{}{key:?}=>", if index == 0 { "" } else { ", " }).expect("as above");
                write_ruby(item, out, false);
            }
            out.push('}');
        }
    }
}
