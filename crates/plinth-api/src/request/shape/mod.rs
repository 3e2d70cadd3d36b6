//! Reading a JSON object by its description, collecting every violation in the sentences that clients know.

mod ruby;
mod value;

use serde_json::{Map, Value};

use plinth_base::error::{Error, Result};
use ruby::Ruby;
pub use value::FromValue;

/// A request body that is read from a JSON object.
pub trait FromJson: Sized {
    /// `None` where a violation was noted; the reader goes on so that all of them are reported at once.
    fn from_json(fields: &mut Fields<'_>) -> Option<Self>;
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
    /// Where the object stands in the description, empty for the body itself.
    place: String,
    missing: Vec<&'static str>,
    violations: Vec<String>,
}

impl<'a> Fields<'a> {
    fn new(object: &'a Map<String, Value>, place: String) -> Self {
        Self { object, place, missing: Vec::new(), violations: Vec::new() }
    }

    pub fn has(&self, name: &str) -> bool {
        self.object.contains_key(name)
    }

    /// A field that must be there.
    pub fn required<T: FromValue<'a>>(&mut self, name: &'static str) -> Option<T> {
        let Some(value) = self.object.get(name) else {
            self.missing.push(name);
            return None;
        };
        self.typed(name, value)
    }

    /// A field that may be left out; `None` only where it is there and wrong.
    pub fn optional<T: FromValue<'a>>(&mut self, name: &'static str) -> Option<Option<T>> {
        match self.object.get(name) {
            None => Some(None),
            Some(value) => self.typed(name, value).map(Some),
        }
    }

    fn typed<T: FromValue<'a>>(&mut self, name: &str, value: &'a Value) -> Option<T> {
        let typed = T::from_value(value);
        if typed.is_none() {
            self.mistyped(name, value, T::DESCRIPTION);
        }
        typed
    }

    /// Notes that the value of the field `name` is not what `description` says.
    pub fn mistyped(&mut self, name: &str, value: &Value, description: &str) {
        self.violation(name, &format!("{} is not {description}.", Ruby(value)));
    }

    /// Notes a violation of the field `name`.
    pub fn violation(&mut self, name: &str, sentence: &str) {
        let sentence = format!("For '{}properties/{name}', {sentence}", self.place);
        self.violations.push(sentence);
    }

    /// Notes a violation of the object as a whole.
    pub fn violation_here(&mut self, sentence: impl Into<String>) {
        self.violations.push(sentence.into());
    }

    /// One of a few words.
    pub fn choice(&mut self, name: &str, text: &str, words: &[&str]) -> Option<()> {
        if words.contains(&text) {
            return Some(());
        }
        let list = words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
        self.violation(name, &format!("{text} is not a member of [{list}]."));
        None
    }

    /// Reads an object inside this one.
    pub fn nested<T: FromJson>(&mut self, name: &str, object: &'a Map<String, Value>) -> Option<T> {
        self.inside(format!("properties/{name}"), object)
    }

    /// As [`Fields::items`], for a list of at most `most`: a longer one gets one sentence, not one for every item.
    pub fn items_up_to<T: FromJson>(&mut self, name: &str, list: &'a [Value], most: usize) -> Option<Vec<T>> {
        if list.len() > most {
            let sentence = format!("No more than {most} items are allowed; {} were supplied.", list.len());
            self.violation(name, &sentence);
            return None;
        }
        self.items(name, list)
    }

    /// Reads every item of a list of objects.
    pub fn items<T: FromJson>(&mut self, name: &str, list: &'a [Value]) -> Option<Vec<T>> {
        let mut items = Some(Vec::with_capacity(list.len()));
        for value in list {
            let item = match value {
                Value::Object(object) => self.inside(format!("properties/{name}/items"), object),
                other => {
                    self.violation(&format!("{name}/items"), &format!("{} is not an object.", Ruby(other)));
                    None
                }
            };
            items = items.zip(item).map(|(mut items, item)| {
                items.push(item);
                items
            });
        }
        items
    }

    /// Reads every item of a list of single values.
    pub fn values<T: FromValue<'a>>(&mut self, name: &str, list: &'a [Value]) -> Option<Vec<T>> {
        let place = format!("{name}/items");
        let read: Vec<Option<T>> = list.iter().map(|item| self.typed(&place, item)).collect();
        read.into_iter().collect()
    }

    fn inside<T: FromJson>(&mut self, place: String, object: &'a Map<String, Value>) -> Option<T> {
        let mut inner = Fields::new(object, format!("{}{place}/", self.place));
        let value = T::from_json(&mut inner);
        self.violations.extend(inner.finish());
        value
    }

    /// Rejects keys that the description does not name.
    pub fn permit_only(&mut self, names: &[&str]) {
        let unknown: Vec<String> =
            self.object.keys().filter(|key| !names.contains(&key.as_str())).map(|key| format!("{key:?}")).collect();
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
        let place = self.place.trim_end_matches('/');
        let sentence = if place.is_empty() { supplied } else { format!("For '{place}', {supplied}") };
        self.violations.insert(0, sentence);
        self.violations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug)]
    struct Sample;

    impl FromJson for Sample {
        fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
            let body: Option<String> = fields.required("body");
            let sha: Option<String> = fields.required("sha");
            let force: Option<Option<bool>> = fields.optional("force");
            let list: Option<Option<&[Value]>> = fields.optional("list");
            if let Some(text) = &sha {
                fields.choice("sha", text, &["a", "b"]);
            }
            fields.permit_only(&["body", "sha", "force", "list"]);
            (body.is_some() && force.is_some() && list.is_some()).then_some(Sample)
        }
    }

    fn violations(value: Value) -> String {
        match read::<Sample>(value.as_object().expect("the test sends an object")) {
            Err(Error::Shape(sentences)) => sentences.join("\n"),
            other => panic!("expected violations, got {other:?}"),
        }
    }

    #[test]
    fn every_violation_is_told_in_its_sentence() {
        assert_eq!(violations(json!({})), "\"body\", \"sha\" weren't supplied.");
        assert_eq!(violations(json!({"sha": "a"})), "\"body\" wasn't supplied.");
        assert_eq!(
            violations(json!({"body": null, "sha": "x", "force": {"a": 1, "b": [null, "c"]}, "list": 3, "more": 1})),
            "For 'properties/body', nil is not a string.\n\
             For 'properties/force', {\"a\"=>1, \"b\"=>[nil, \"c\"]} is not a boolean.\n\
             For 'properties/list', 3 is not an array.\n\
             For 'properties/sha', x is not a member of [\"a\", \"b\"].\n\
             \"more\" is not a permitted key."
        );
    }
}
