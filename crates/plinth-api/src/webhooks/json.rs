//! Hooks and deliveries on the wire.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::wire::{Word, words};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{DeliveryId, InstallationId, RepoId, WebhookId};
use plinth_base::urls::{Part, Url};
use plinth_core::apps::EventNames;
use plinth_core::webhooks::deliveries::DeliverySummary;
use plinth_core::webhooks::model::{self, ContentType, LastResponse, Webhook, WebhookWithResponse};
use plinth_core::webhooks::rules::{MASK, NAME};

words! { ContentType: Json, Form }

/// What the hooks of repositories, organizations and apps have in common.
#[derive(Serialize, JsonSchema)]
pub struct HookFields<'a> {
    r#type: &'static str,
    id: WebhookId,
    name: &'static str,
    active: bool,
    events: &'a [String],
    config: Config<'a>,
    updated_at: Timestamp,
    created_at: Timestamp,
}

impl<'a> HookFields<'a> {
    /// The events of an app are those of its registration.
    pub fn new(kind: &'static str, hook: &'a Webhook, events: &'a EventNames) -> Self {
        Self {
            r#type: kind,
            id: hook.id,
            name: NAME,
            active: hook.active,
            events: &events.0,
            config: Config::new(hook),
            updated_at: hook.updated_at,
            created_at: hook.created_at,
        }
    }
}

/// A hook of a repository.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "hook")]
pub struct Hook<'a> {
    #[serde(flatten)]
    fields: HookFields<'a>,
    url: Url<'a>,
    test_url: Url<'a>,
    ping_url: Url<'a>,
    deliveries_url: Url<'a>,
    last_response: HookResponse<'a>,
}

impl<'a> Hook<'a> {
    /// `url` is that of the hook.
    pub fn new(found: &'a WebhookWithResponse, url: Url<'a>) -> Self {
        let hook = &found.hook;
        Self {
            fields: HookFields::new("Repository", hook, &hook.events),
            url,
            test_url: url.then(Part::Fixed("/test")),
            ping_url: url.then(Part::Fixed("/pings")),
            deliveries_url: url.then(Part::Fixed("/deliveries")),
            last_response: HookResponse::new(found.last_response.as_ref()),
        }
    }
}

/// A hook of an organization.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "org-hook")]
pub struct OrgHook<'a> {
    #[serde(flatten)]
    fields: HookFields<'a>,
    url: Url<'a>,
    ping_url: Url<'a>,
    deliveries_url: Url<'a>,
}

impl<'a> OrgHook<'a> {
    /// `url` is that of the hook.
    pub fn new(hook: &'a Webhook, url: Url<'a>) -> Self {
        Self {
            fields: HookFields::new("Organization", hook, &hook.events),
            url,
            ping_url: url.then(Part::Fixed("/pings")),
            deliveries_url: url.then(Part::Fixed("/deliveries")),
        }
    }
}

/// Where and how deliveries are sent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "webhook-config")]
pub struct Config<'a> {
    content_type: Word<ContentType>,
    /// `"1"` if every certificate of the receiver is accepted.
    insecure_ssl: &'static str,
    /// `********` if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<&'static str>,
    /// Absent from an app without a hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
}

impl<'a> Config<'a> {
    pub fn new(hook: &'a Webhook) -> Self {
        Self {
            content_type: Word(hook.content_type),
            insecure_ssl: if hook.insecure_ssl { "1" } else { "0" },
            secret: hook.secret.as_ref().map(|_| MASK),
            url: Some(&hook.url),
        }
    }

    /// That of an app without a hook.
    pub fn of_absent() -> Self {
        Self { content_type: Word(ContentType::Json), insecure_ssl: "0", secret: None, url: None }
    }
}

/// How the last delivery ended.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "hook-response")]
struct HookResponse<'a> {
    code: Option<i64>,
    /// `unused`, `active` or `misconfigured`.
    status: &'static str,
    message: Option<&'a str>,
}

impl<'a> HookResponse<'a> {
    fn new(last: Option<&'a LastResponse>) -> Self {
        let Some(last) = last else { return Self { code: None, status: "unused", message: None } };
        let status = if last.is_success() { "active" } else { "misconfigured" };
        Self { code: last.code, status, message: Some(&last.status) }
    }
}

/// A delivery in a list.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "hook-delivery-item")]
pub struct DeliveryItem<'a> {
    id: DeliveryId,
    /// The same for all deliveries of one message.
    guid: &'a str,
    delivered_at: Timestamp,
    redelivery: bool,
    /// In seconds.
    duration: f64,
    status: &'a str,
    /// 0 if there was no response.
    status_code: i64,
    event: &'a str,
    action: Option<&'a str>,
    installation_id: Option<InstallationId>,
    repository_id: Option<RepoId>,
    /// Deliveries are never throttled.
    throttled_at: Option<Timestamp>,
}

impl<'a> From<&'a DeliverySummary> for DeliveryItem<'a> {
    fn from(delivery: &'a DeliverySummary) -> Self {
        Self {
            id: delivery.id,
            guid: &delivery.guid,
            delivered_at: delivery.delivered_at,
            redelivery: delivery.redelivery,
            duration: seconds(delivery.duration_ms),
            status: &delivery.status,
            status_code: delivery.status_code,
            event: &delivery.event,
            action: delivery.action.as_deref(),
            installation_id: delivery.installation_id,
            repository_id: delivery.repository_id,
            throttled_at: None,
        }
    }
}

/// A delivery with its request and its response.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "hook-delivery")]
pub struct Delivery<'a> {
    id: DeliveryId,
    guid: &'a str,
    delivered_at: Option<Timestamp>,
    redelivery: bool,
    duration: f64,
    status: &'a str,
    status_code: i64,
    event: &'a str,
    action: Option<&'a str>,
    installation_id: Option<InstallationId>,
    repository_id: Option<RepoId>,
    throttled_at: Option<Timestamp>,
    /// The URL of the hook.
    url: &'a str,
    request: Request<'a>,
    response: Response<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Request<'a> {
    #[schemars(with = "Option<Map<String, Value>>")]
    headers: Option<&'a RawValue>,
    #[schemars(with = "Option<Map<String, Value>>")]
    payload: Option<&'a RawValue>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Response<'a> {
    #[schemars(with = "Option<Map<String, Value>>")]
    headers: Option<&'a RawValue>,
    payload: Option<&'a str>,
}

impl<'a> Delivery<'a> {
    pub fn new(delivery: &'a model::Delivery, message: &'a model::Message, hook: &'a Webhook) -> Self {
        Self {
            id: delivery.id,
            guid: &message.guid,
            delivered_at: delivery.delivered_at,
            redelivery: delivery.redelivery,
            duration: seconds(delivery.duration_ms.unwrap_or_default()),
            status: delivery.status.as_deref().unwrap_or_default(),
            status_code: delivery.status_code.unwrap_or_default(),
            event: &message.event,
            action: message.action.as_deref(),
            installation_id: message.installation_id,
            repository_id: message.repo_id,
            throttled_at: None,
            url: &hook.url,
            request: Request {
                headers: delivery.request_headers.as_deref().and_then(raw),
                payload: raw(&message.payload),
            },
            response: Response {
                headers: delivery.response_headers.as_deref().and_then(raw),
                payload: delivery.response_body.as_deref(),
            },
        }
    }
}

/// The empty object of a response to what is done later.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Accepted {}

/// Stored JSON as it is.
fn raw(text: &str) -> Option<&RawValue> {
    serde_json::from_str(text).ok()
}

fn seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1000.0
}
