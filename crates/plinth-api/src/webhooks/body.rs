//! Bodies of the operations on hooks.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::request::shape::{Fields, FromValue, from_json};
use crate::wire::Word;
use plinth_core::tokens::Secret;
use plinth_core::webhooks::model::ContentType;
use plinth_core::webhooks::{ConfigInput, NewWebhook, WebhookChange};

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateRepoHookBody {
    /// `web`, the only kind of hook.
    name: Option<String>,
    config: Option<ConfigBody>,
    /// `push` by default; `*` stands for all events.
    events: Option<Vec<String>>,
    /// `true` by default.
    active: Option<bool>,
}
from_json!(CreateRepoHookBody { name, config, events, active });

impl From<CreateRepoHookBody> for NewWebhook {
    fn from(body: CreateRepoHookBody) -> Self {
        Self {
            name: body.name,
            config: body.config.map(ConfigInput::from).unwrap_or_default(),
            events: body.events,
            active: body.active.unwrap_or(true),
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct CreateOrgHookBody {
    /// `web`, the only kind of hook.
    name: String,
    config: ConfigBody,
    /// `push` by default; `*` stands for all events.
    events: Option<Vec<String>>,
    /// `true` by default.
    active: Option<bool>,
}
from_json!(CreateOrgHookBody { name, config, events, active });

impl From<CreateOrgHookBody> for NewWebhook {
    fn from(body: CreateOrgHookBody) -> Self {
        let CreateOrgHookBody { name, config, events, active } = body;
        Self { name: Some(name), config: config.into(), events, active: active.unwrap_or(true) }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct UpdateHookBody {
    /// `web`, the only kind of hook.
    name: Option<String>,
    /// Replaces all of the configuration: without `secret`, the hook has none afterwards.
    config: Option<ConfigBody>,
    /// Replaces the list of events.
    events: Option<Vec<String>>,
    add_events: Option<Vec<String>>,
    remove_events: Option<Vec<String>>,
    active: Option<bool>,
}
from_json!(UpdateHookBody { name, config, events, add_events, remove_events, active });

impl From<UpdateHookBody> for WebhookChange {
    fn from(body: UpdateHookBody) -> Self {
        Self {
            name: body.name,
            config: body.config.map(ConfigInput::from),
            events: body.events,
            add_events: body.add_events.unwrap_or_default(),
            remove_events: body.remove_events.unwrap_or_default(),
            active: body.active,
        }
    }
}

#[derive(JsonSchema)]
#[schemars(inline)]
pub struct ConfigBody {
    /// The URL that deliveries are sent to, with `http` or `https`.
    url: Option<String>,
    content_type: Option<Word<ContentType>>,
    /// Signs deliveries. It is never shown; `********` leaves it unchanged.
    secret: Option<SecretText>,
    /// `"1"` to accept every certificate of the receiver.
    insecure_ssl: Option<InsecureSsl>,
}
from_json!(ConfigBody { url, content_type, secret, insecure_ssl });

impl From<ConfigBody> for ConfigInput {
    fn from(body: ConfigBody) -> Self {
        Self {
            url: body.url,
            content_type: body.content_type.map(|Word(content_type)| content_type),
            secret: body.secret.map(|SecretText(secret)| secret),
            insecure_ssl: body.insecure_ssl.map(|InsecureSsl(insecure)| insecure),
        }
    }
}

/// A text that no error repeats.
struct SecretText(Secret);

impl FromValue for SecretText {
    const EXPECTED: &'static str = "a string";

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self(Secret::new(text))),
            _ => fields.violation(name, &format!("the value is not {expected}.")),
        }
    }
}

impl JsonSchema for SecretText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "secret".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

/// `"0"` or `"1"`, as a text or a number.
struct InsecureSsl(bool);

impl FromValue for InsecureSsl {
    const EXPECTED: &'static str = "a string or a number";

    fn from_value(fields: &mut Fields<'_>, name: &str, value: &Value, expected: &str) -> Option<Self> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            other => return fields.mistyped(name, other, expected),
        };
        match text.as_str() {
            "0" => Some(Self(false)),
            "1" => Some(Self(true)),
            other => fields.not_a_member(name, other, ["0", "1"].into_iter()),
        }
    }
}

impl JsonSchema for InsecureSsl {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "insecure-ssl".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": ["0", "1", 0, 1] })
    }
}
