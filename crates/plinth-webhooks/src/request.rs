//! Headers and body of a delivery, as receivers of GitHub's webhooks expect them.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue};

use plinth_base::ids::WebhookId;
use plinth_core::webhooks::model::{ContentType, WebhookOwner};

use crate::signature;

/// GitHub documents the prefix, and receivers and firewalls check it, so it is GitHub's.
const AGENT: &str = concat!("GitHub-Hookshot/plinth-", env!("CARGO_PKG_VERSION"));
const EVENT: HeaderName = HeaderName::from_static("x-github-event");
const DELIVERY: HeaderName = HeaderName::from_static("x-github-delivery");
const HOOK_ID: HeaderName = HeaderName::from_static("x-github-hook-id");
const TARGET_TYPE: HeaderName = HeaderName::from_static("x-github-hook-installation-target-type");
const TARGET_ID: HeaderName = HeaderName::from_static("x-github-hook-installation-target-id");
const SIGNATURE: HeaderName = HeaderName::from_static("x-hub-signature");
const SIGNATURE_256: HeaderName = HeaderName::from_static("x-hub-signature-256");

/// What a request is made from.
pub struct RequestParts<'a> {
    pub hook: WebhookId,
    pub owner: WebhookOwner,
    pub content_type: ContentType,
    pub secret: Option<&'a [u8]>,
    pub guid: &'a str,
    pub event: &'a str,
    pub payload: &'a str,
}

/// Headers without `Host`, and the body that the signatures are about.
pub fn build(parts: &RequestParts<'_>) -> (HeaderMap, Bytes) {
    let (content_type, body) = match parts.content_type {
        ContentType::Json => ("application/json", parts.payload.to_owned()),
        ContentType::Form => ("application/x-www-form-urlencoded", form(parts.payload)),
    };
    let mut headers = HeaderMap::with_capacity(12);
    headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    headers.insert(DELIVERY, text(parts.guid));
    headers.insert(EVENT, text(parts.event));
    headers.insert(HOOK_ID, parts.hook.0.into());
    headers.insert(TARGET_ID, parts.owner.target_id().into());
    headers.insert(TARGET_TYPE, HeaderValue::from_static(parts.owner.target_type()));
    if let Some(secret) = parts.secret {
        headers.insert(SIGNATURE, text(&signature::sha1(secret, body.as_bytes())));
        headers.insert(SIGNATURE_256, text(&signature::sha256(secret, body.as_bytes())));
    }
    (headers, body.into())
}

fn form(payload: &str) -> String {
    form_urlencoded::Serializer::new(String::new()).append_pair("payload", payload).finish()
}

/// Names of events, ids and signatures are ASCII.
fn text(value: &str) -> HeaderValue {
    HeaderValue::from_str(value).unwrap_or(HeaderValue::from_static(""))
}
