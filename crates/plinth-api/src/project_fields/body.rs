//! What a client sends to add a field: one of four forms, told apart by the keys that are there.

use plinth_core::project_fields::NewField;
use plinth_core::project_fields::NewIteration;
use plinth_core::project_fields::NewIterations;
use plinth_core::project_fields::NewOption;
use plinth_core::project_fields::OwnField;
use plinth_core::project_fields::OwnKind;
use serde_json::{Map, Value};

use crate::request::shape::{Fields, FromJson};
use plinth_base::ids::IssueFieldId;
use plinth_core::project_fields::model::Day;
use plinth_core::projects::Color;

const OPTIONS_MAX: usize = 50;
const ITERATIONS_MAX: usize = 100;
const DURATION_DAYS_MAX: i64 = 999;
const DATA_TYPES: [&str; 5] = ["text", "number", "date", "single_select", "iteration"];

impl FromJson for NewField {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        if !fields.has("issue_field_id") {
            return OwnField::from_json(fields).map(NewField::Own);
        }
        let id = fields.required::<i64>("issue_field_id");
        let name = fields.optional("name");
        let data_type = fields.optional("data_type");
        fields.permit_only(&["issue_field_id", "name", "data_type"]);
        Some(NewField::FromIssueField { id: IssueFieldId(id?), name: name?, data_type: data_type? })
    }
}

impl FromJson for OwnField {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let name = fields.required("name");
        let data_type = fields.required::<String>("data_type");
        let data_type = data_type.filter(|word| fields.choice("data_type", word, &DATA_TYPES).is_some())?;
        let (kind, part) = match data_type.as_str() {
            "text" => (Some(OwnKind::Text), None),
            "number" => (Some(OwnKind::Number), None),
            "date" => (Some(OwnKind::Date), None),
            "single_select" => (options(fields).map(OwnKind::SingleSelect), Some("single_select_options")),
            _ => (iterations(fields).map(OwnKind::Iteration), Some("iteration_configuration")),
        };
        let permitted: Vec<&str> = ["name", "data_type"].into_iter().chain(part).collect();
        fields.permit_only(&permitted);
        Some(Self { name: name?, kind: kind? })
    }
}

fn options(fields: &mut Fields<'_>) -> Option<Vec<NewOption>> {
    const NAME: &str = "single_select_options";
    let list = fields.required::<&[Value]>(NAME)?;
    if list.is_empty() {
        fields.violation(NAME, "1 item required; only 0 were supplied.");
        return None;
    }
    fields.items_up_to(NAME, list, OPTIONS_MAX)
}

fn iterations(fields: &mut Fields<'_>) -> Option<NewIterations> {
    const NAME: &str = "iteration_configuration";
    let object = fields.required::<&Map<String, Value>>(NAME)?;
    fields.nested(NAME, object)
}

impl FromJson for NewOption {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let name = fields.required::<&Value>("name").and_then(|value| text(fields, "name", value));
        let color = match fields.optional::<String>("color") {
            Some(None) => Some(Color::Gray),
            Some(Some(word)) => fields.choice("color", &word, &Color::UPPER).and_then(|()| Color::from_upper(&word)),
            None => None,
        };
        let description = match fields.optional::<&Value>("description") {
            Some(Some(value)) => text(fields, "description", value),
            Some(None) | None => Some(String::new()),
        };
        fields.permit_only(&["name", "color", "description"]);
        Some(Self { name: name?, color: color?, description: description? })
    }
}

impl FromJson for NewIterations {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let start_date = day(fields);
        let duration = duration(fields);
        let iterations = match fields.optional::<&[Value]>("iterations") {
            Some(Some(list)) => fields.items_up_to("iterations", list, ITERATIONS_MAX),
            Some(None) => Some(Vec::new()),
            None => None,
        };
        Some(Self { start_date: start_date?, duration: duration?, iterations: iterations? })
    }
}

impl FromJson for NewIteration {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required::<&Value>("title").and_then(|value| text(fields, "title", value));
        let start_date = day(fields);
        let duration = duration(fields);
        fields.permit_only(&["title", "start_date", "duration"]);
        Some(Self { title: title?, start_date: start_date?, duration: duration? })
    }
}

fn day(fields: &mut Fields<'_>) -> Option<Day> {
    let text = fields.required::<String>("start_date")?;
    let day = Day::parse(&text);
    if day.is_none() {
        fields.violation("start_date", &format!("{text} is not a valid date."));
    }
    day
}

fn duration(fields: &mut Fields<'_>) -> Option<i64> {
    let days = fields.required::<i64>("duration")?;
    if days < 1 {
        fields.violation("duration", &format!("{days} must be greater than or equal to 1."));
        return None;
    }
    if days > DURATION_DAYS_MAX {
        fields.violation("duration", &format!("{days} must be less than or equal to {DURATION_DAYS_MAX}."));
        return None;
    }
    Some(days)
}

/// A text by itself, or the object in which answers show it; its HTML is ours to make and not read.
struct RawText(String);

impl FromJson for RawText {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        let raw = fields.required("raw");
        let html = fields.optional::<String>("html");
        fields.permit_only(&["raw", "html"]);
        html?;
        raw.map(Self)
    }
}

fn text<'a>(fields: &mut Fields<'a>, name: &str, value: &'a Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(object) => fields.nested::<RawText>(name, object).map(|RawText(raw)| raw),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            fields.mistyped(name, value, "a string");
            None
        }
    }
}

/// The body for a project of a user, which has no issue fields to follow.
pub struct NewUserField(OwnField);

impl FromJson for NewUserField {
    fn from_json(fields: &mut Fields<'_>) -> Option<Self> {
        if fields.has("issue_field_id") {
            fields.violation_here("\"issue_field_id\" is not a permitted key.");
            return None;
        }
        OwnField::from_json(fields).map(Self)
    }
}

impl From<NewUserField> for NewField {
    fn from(NewUserField(own): NewUserField) -> Self {
        NewField::Own(own)
    }
}
