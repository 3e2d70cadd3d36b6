//! Request bodies: read from a JSON object with every violation reported, in the sentences that GitHub's clients know.

mod ruby;
mod value;

use serde_json::{Map, Value};

use crate::wire::Words;
use plinth_base::error::{Error, Result};
use ruby::Ruby;
pub use value::{Apart, Bounded, FromField, FromValue, NULLABLE, Nullable, flatten};

/// A request body that is read from a JSON object. `from_json!` implements it for a struct.
pub trait FromJson: Sized {
    /// `None` after a violation; reading continues, so that all violations are reported at once.
    fn from_json(fields: &mut Fields<'_>) -> Option<Self>;
}

/// Implements [`FromJson`] for a struct: its fields are read in this order, and the type of each says whether it may be
/// absent and what it may contain. With `deny_unknown_fields`, other keys are violations.
macro_rules! from_json {
    ($body:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::request::shape::FromJson for $body {
            fn from_json(fields: &mut $crate::request::shape::Fields<'_>) -> Option<Self> {
                $(let $field = fields.field(stringify!($field));)+
                Some(Self { $($field: $field?),+ })
            }
        }
    };
    (#[deny_unknown_fields] $body:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::request::shape::FromJson for $body {
            fn from_json(fields: &mut $crate::request::shape::Fields<'_>) -> Option<Self> {
                $(let $field = fields.field(stringify!($field));)+
                fields.deny_unknown_fields(&[$(stringify!($field)),+]);
                Some(Self { $($field: $field?),+ })
            }
        }
    };
}
pub(crate) use from_json;

/// The key of a field, whose name in Rust may be a raw identifier.
fn key(field: &'static str) -> &'static str {
    field.strip_prefix("r#").unwrap_or(field)
}

/// Reads a whole body.
pub fn read<T: FromJson>(object: &Map<String, Value>) -> Result<T> {
    let mut fields = Fields::new(object, String::new());
    let value = T::from_json(&mut fields);
    let violations = fields.finish();
    match value {
        Some(value) if violations.is_empty() => Ok(value),
        _ => Err(Error::Shape(violations)),
    }
}

/// An object being read.
pub struct Fields<'a> {
    object: &'a Map<String, Value>,
    /// The path of the object in the schema, empty for the body itself.
    path: String,
    missing: Vec<&'static str>,
    violations: Vec<String>,
    nulls: &'static [&'static str],
}

impl<'a> Fields<'a> {
    fn new(object: &'a Map<String, Value>, path: String) -> Self {
        Self { object, path, missing: Vec::new(), violations: Vec::new(), nulls: &[] }
    }

    /// Whether the field is there and not null.
    pub fn has(&self, name: &str) -> bool {
        self.object.get(name).is_some_and(|value| !value.is_null())
    }

    /// Permits null for keys that other forms of the same body have.
    pub fn permit_null(&mut self, fields: &'static [&'static str]) {
        self.nulls = fields;
    }

    /// The word of a field that decides how the others are read; reports nothing.
    pub fn word<T: Words>(&self, name: &str) -> Option<T> {
        self.object.get(name).and_then(Value::as_str).and_then(T::from_word)
    }

    /// Reads a field; `None` after a violation.
    pub fn field<T: FromField>(&mut self, name: &'static str) -> Option<T> {
        T::from_field(self, key(name))
    }

    /// Reports that the value of the field `name` is not what was expected.
    pub fn mistyped<T>(&mut self, name: &str, value: &Value, expected: &str) -> Option<T> {
        self.violation(name, &format!("{} is not {expected}.", Ruby(value)))
    }

    /// Reports a word that is none of `words`.
    pub fn not_a_member<'w, T>(&mut self, name: &str, text: &str, words: impl Iterator<Item = &'w str>) -> Option<T> {
        let list = words.map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
        self.violation(name, &format!("{text} is not a member of [{list}]."))
    }

    /// Reports a violation of the field `name`.
    pub fn violation<T>(&mut self, name: &str, sentence: &str) -> Option<T> {
        let sentence = format!("For '{}properties/{name}', {sentence}", self.path);
        self.violations.push(sentence);
        None
    }

    /// Reports a violation of the object as a whole.
    pub fn violation_here<T>(&mut self, sentence: impl Into<String>) -> Option<T> {
        self.violations.push(sentence.into());
        None
    }

    /// Reads an object inside this one.
    pub fn nested<T: FromJson>(&mut self, name: &str, object: &Map<String, Value>) -> Option<T> {
        let mut inner = Fields::new(object, format!("{}properties/{name}/", self.path));
        let value = T::from_json(&mut inner);
        self.violations.extend(inner.finish());
        value
    }

    /// Reads an object inside this one whose violations are reported with paths of its own.
    pub fn apart<T: FromJson>(&mut self, object: &Map<String, Value>) -> Option<T> {
        let mut inner = Fields::new(object, String::new());
        let value = T::from_json(&mut inner);
        self.violations.extend(inner.finish());
        value
    }

    /// Reports keys that are none of `fields`.
    pub fn deny_unknown_fields(&mut self, fields: &[&'static str]) {
        let is_known = |name: &str| {
            fields.iter().any(|field| key(field) == name) || (self.nulls.contains(&name) && !self.has(name))
        };
        let unknown: Vec<String> =
            self.object.keys().filter(|name| !is_known(name)).map(|name| format!("{name:?}")).collect();
        match unknown.as_slice() {
            [] => {}
            [one] => self.violations.push(format!("{one} is not a permitted key.")),
            several => self.violations.push(format!("{} are not permitted keys.", several.join(", "))),
        }
    }

    fn finish(mut self) -> Vec<String> {
        self.missing.sort_unstable();
        let names = self.missing.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let supplied = match self.missing.len() {
            0 => return self.violations,
            1 => format!("{names} wasn't supplied."),
            _ => format!("{names} weren't supplied."),
        };
        let path = self.path.trim_end_matches('/');
        let sentence = if path.is_empty() { supplied } else { format!("For '{path}', {supplied}") };
        self.violations.insert(0, sentence);
        self.violations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Word, words};
    use serde_json::json;

    words! { Letter: A, B }

    #[derive(Debug, Clone, Copy)]
    enum Letter {
        A,
        B,
    }

    impl Letter {
        fn as_str(self) -> &'static str {
            match self {
                Letter::A => "a",
                Letter::B => "b",
            }
        }
    }

    #[derive(Debug)]
    #[expect(dead_code, reason = "only its reading is tested")]
    struct Sample {
        body: String,
        force: Option<bool>,
        list: Option<Bounded<String, 1, 2>>,
        note: Option<Nullable<String>>,
        r#type: Word<Letter>,
    }
    from_json!(
        #[deny_unknown_fields]
        Sample { body, force, list, note, r#type }
    );

    fn violations(value: Value) -> String {
        match read::<Sample>(value.as_object().expect("the test sends an object")) {
            Err(Error::Shape(sentences)) => sentences.join("\n"),
            other => panic!("expected violations, got {other:?}"),
        }
    }

    #[test]
    fn read_reports_every_violation() {
        assert_eq!(violations(json!({})), "\"body\", \"type\" weren't supplied.");
        assert_eq!(violations(json!({"type": "a"})), "\"body\" wasn't supplied.");
        assert_eq!(
            violations(json!({
                "body": null, "type": "x", "force": {"a": 1, "b": [null, "c"]}, "list": 3, "note": 1, "more": 1
            })),
            "For 'properties/body', nil is not a string.\n\
             For 'properties/force', {\"a\"=>1, \"b\"=>[nil, \"c\"]} is not a boolean.\n\
             For 'properties/list', 3 is not an array.\n\
             For 'properties/note', 1 is not a string or null.\n\
             For 'properties/type', x is not a member of [\"a\", \"b\"].\n\
             \"more\" is not a permitted key."
        );
    }

    #[test]
    fn null_of_an_optional_field_counts_as_absent() {
        let body = json!({ "body": "", "type": "a", "force": null, "list": null, "note": null });
        let sample: Sample = read(body.as_object().expect("an object")).expect("valid");
        assert!(sample.force.is_none() && sample.list.is_none());
        assert!(matches!(sample.note, Some(Nullable(None))));
    }

    #[test]
    fn bounded_list_reports_its_length_once() {
        let of = |list: Value| violations(json!({ "body": "", "type": "a", "list": list }));
        assert_eq!(of(json!([])), "For 'properties/list', 1 item required; only 0 were supplied.");
        let three = "For 'properties/list', No more than 2 items are allowed; 3 were supplied.";
        assert_eq!(of(json!([1, 2, 3])), three);
        assert_eq!(of(json!([1, "b"])), "For 'properties/list/items', 1 is not a string.");
    }
}
