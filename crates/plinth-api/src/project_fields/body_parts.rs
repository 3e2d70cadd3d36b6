//! Options and iterations in the bodies that add a field.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use super::json::UpperColor;
use crate::request::shape::{Bounded, Fields, FromValue, from_json};
use crate::wire::{Date, Word};
use plinth_core::project_fields::model::Day;
use plinth_core::project_fields::{NewIteration, NewIterations, NewOption};
use plinth_core::projects::Color;

const ITERATIONS_MAX: usize = 100;
const DURATION_DAYS_MAX: i64 = 999;

#[derive(JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct OptionBody {
    name: RichTextBody,
    /// `GRAY` by default.
    color: Option<Word<UpperColor>>,
    description: Option<RichTextBody>,
}
from_json!(
    #[deny_unknown_fields]
    OptionBody { name, color, description }
);

impl From<OptionBody> for NewOption {
    fn from(option: OptionBody) -> Self {
        Self {
            name: option.name.into_text(),
            color: option.color.map_or(Color::Gray, |Word(UpperColor(color))| color),
            description: option.description.map(RichTextBody::into_text).unwrap_or_default(),
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct IterationsBody {
    /// The first day of the first iteration.
    start_date: DayBody,
    /// Days of an iteration, unless it has its own.
    duration: DurationBody,
    iterations: Option<Bounded<IterationBody, 0, ITERATIONS_MAX>>,
}
from_json!(IterationsBody { start_date, duration, iterations });

impl From<IterationsBody> for NewIterations {
    fn from(body: IterationsBody) -> Self {
        let iterations = body.iterations.into_iter().flat_map(|Bounded(list)| list);
        Self {
            start_date: body.start_date.0,
            duration: body.duration.0,
            iterations: iterations.map(NewIteration::from).collect(),
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct IterationBody {
    title: RichTextBody,
    start_date: DayBody,
    /// Days.
    duration: DurationBody,
}
from_json!(
    #[deny_unknown_fields]
    IterationBody { title, start_date, duration }
);

impl From<IterationBody> for NewIteration {
    fn from(body: IterationBody) -> Self {
        Self { title: body.title.into_text(), start_date: body.start_date.0, duration: body.duration.0 }
    }
}

/// A text, or the object with which responses show it.
#[derive(JsonSchema)]
#[schemars(inline, untagged)]
enum RichTextBody {
    Text(String),
    Object(RawTextBody),
}

impl RichTextBody {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Object(object) => object.raw,
        }
    }
}

impl FromValue for RichTextBody {
    const EXPECTED: &'static str = String::EXPECTED;

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        match value {
            Value::Object(object) => fields.nested(name, object).map(Self::Object),
            other => String::from_value(fields, name, other, expected).map(Self::Text),
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct RawTextBody {
    raw: String,
    /// Accepted and ignored.
    #[expect(dead_code, reason = "the service renders the text itself")]
    html: Option<String>,
}
from_json!(
    #[deny_unknown_fields]
    RawTextBody { raw, html }
);

struct DayBody(Day);

impl FromValue for DayBody {
    const EXPECTED: &'static str = String::EXPECTED;

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        let text = String::from_value(fields, name, value, expected)?;
        match Day::parse(&text) {
            Some(day) => Some(Self(day)),
            None => fields.violation(name, &format!("{text} is not a valid date.")),
        }
    }
}

impl JsonSchema for DayBody {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Date::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Date::json_schema(generator)
    }
}

/// A number of days.
struct DurationBody(i64);

impl FromValue for DurationBody {
    const EXPECTED: &'static str = i64::EXPECTED;

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        let days = i64::from_value(fields, name, value, expected)?;
        if days < 1 {
            return fields.violation(name, &format!("{days} must be greater than or equal to 1."));
        }
        if days > DURATION_DAYS_MAX {
            return fields.violation(name, &format!("{days} must be less than or equal to {DURATION_DAYS_MAX}."));
        }
        Some(Self(days))
    }
}

impl JsonSchema for DurationBody {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "format": "int64", "minimum": 1, "maximum": DURATION_DAYS_MAX })
    }
}
