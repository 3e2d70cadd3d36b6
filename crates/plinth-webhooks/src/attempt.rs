//! One attempt: from a claimed delivery to what is stored about it.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderName};
use plinth_base::error::Result;
use plinth_core::events::EventName;
use plinth_core::tokens::Secret;
use plinth_core::webhooks::model::{Webhook, WebhookOwner};
use plinth_core::webhooks::queue::attempts::{self, Results, Sendable};
use plinth_core::webhooks::queue::model::{Attempt, Claimed};
use serde_json::{Map, Value};

use crate::client::{Outcome, Outgoing};
use crate::request::{self, RequestParts};
use crate::tls::Verification;
use crate::worker::Worker;
use crate::{DeliveryFault, SendError, retry};

const REORDER_TIME_MAX: Duration = Duration::from_secs(10);

/// Names that `Title-Case` spells differently than GitHub.
const SPELLINGS: [(&str, &str); 6] = [
    ("x-github-event", "X-GitHub-Event"),
    ("x-github-delivery", "X-GitHub-Delivery"),
    ("x-github-hook-id", "X-GitHub-Hook-ID"),
    ("x-github-hook-installation-target-type", "X-GitHub-Hook-Installation-Target-Type"),
    ("x-github-hook-installation-target-id", "X-GitHub-Hook-Installation-Target-ID"),
    ("etag", "ETag"),
];

/// Sends a delivery. Nothing if its message is gone, which its hook took with it, or if a fault delays it.
pub async fn send(
    worker: &Arc<Worker>,
    hook: &Webhook,
    secret: Option<&Secret>,
    claimed: Claimed,
) -> Result<Option<Attempt>> {
    let message = match attempts::find_message(&worker.core, claimed.message).await? {
        Sendable::Yes(message) => message,
        Sendable::NotAllowed => return Ok(Some(not_sent(worker, claimed, SendError::NotAllowed))),
        Sendable::Gone => return Ok(None),
    };
    // Deactivated since the dispatch. A ping and a redelivery were asked for.
    if !hook.active && message.event != EventName::Ping.as_str() && !claimed.redelivery {
        return Ok(Some(not_sent(worker, claimed, SendError::Inactive)));
    }
    let parts = RequestParts {
        hook: hook.id,
        owner: hook.owner,
        content_type: hook.content_type,
        secret: secret.map(|secret| secret.reveal().as_bytes()),
        guid: &message.guid,
        event: &message.event,
        payload: &message.payload,
    };
    let (headers, body) = request::build(&parts);
    let verification = if hook.insecure_ssl { Verification::None } else { Verification::Full };
    let outgoing = Outgoing { hook: hook.id, url: hook.url.clone(), verification, headers, body };
    let fault = worker.faults.as_ref().and_then(|faults| faults.find(&message.event));
    match fault {
        None => {}
        Some(DeliveryFault::Lost) => return Ok(Some(not_sent(worker, claimed, SendError::TimedOut))),
        Some(DeliveryFault::Duplicated) => drop(worker.client.send(&outgoing).await),
        Some(DeliveryFault::Delayed(delay)) => {
            let wait = tokio::time::sleep(delay);
            tokio::spawn(send_later(worker.clone(), hook.owner, claimed, outgoing, wait));
            return Ok(None);
        }
        Some(DeliveryFault::Reordered) => {
            let next = worker.sent.clone().notified_owned();
            // Perhaps there is no next one.
            let wait = tokio::time::timeout(REORDER_TIME_MAX, next);
            tokio::spawn(send_later(worker.clone(), hook.owner, claimed, outgoing, wait));
            return Ok(None);
        }
    }
    Ok(Some(send_request(worker, claimed, &outgoing).await))
}

/// Sends a delivery after `wait`, while those after it go on. It is claimed until then.
async fn send_later(worker: Arc<Worker>, owner: WebhookOwner, claimed: Claimed, outgoing: Outgoing, wait: impl Future) {
    wait.await;
    let attempt = send_request(&worker, claimed, &outgoing).await;
    let results = Results { owner, hook: outgoing.hook, attempts: vec![attempt], released: Vec::new() };
    if let Err(error) = attempts::record(&worker.core, results).await {
        tracing::warn!(%error, hook = %outgoing.hook, "could not store the result of a delayed delivery");
    }
}

async fn send_request(worker: &Worker, claimed: Claimed, outgoing: &Outgoing) -> Attempt {
    worker.metrics.begin();
    let outcome = worker.client.send(outgoing).await;
    worker.metrics.end();
    worker.sent.notify_waiters();
    finished(worker, claimed, &outgoing.headers, outcome)
}

/// The result of a delivery for which no connection was made.
pub fn not_sent(worker: &Worker, claimed: Claimed, error: SendError) -> Attempt {
    let outcome = Outcome { duration: Duration::ZERO, response: Err(error) };
    finished(worker, claimed, &HeaderMap::new(), outcome)
}

fn finished(worker: &Worker, claimed: Claimed, request_headers: &HeaderMap, outcome: Outcome) -> Attempt {
    let status = outcome.response.as_ref().map(|received| received.status).map_err(|error| *error);
    let label = match status {
        Ok(status) => ["1xx", "2xx", "3xx", "4xx", "5xx"][usize::from(status.as_u16() / 100).clamp(1, 5) - 1],
        Err(error) => error.label(),
    };
    worker.metrics.observe(label, outcome.duration);
    let delivered_at = worker.core.clock.now();
    let is_success = status.is_ok_and(|status| status.is_success());
    let retries = !is_success && retry::is_temporary(status) && claimed.attempt < worker.settings.attempts_max;
    let retry_at = retries.then(|| delivered_at.plus_seconds(retry::delay_seconds(claimed.attempt)));
    tracing::debug!(delivery = %claimed.delivery, attempt = claimed.attempt, outcome = label, "sent a webhook");
    let status_text = match status {
        Ok(status) if status.is_success() => "OK".to_owned(),
        Ok(status) => format!("Invalid HTTP Response: {}", status.as_u16()),
        Err(error) => error.to_string(),
    };
    let (response_headers, response_body) = match &outcome.response {
        Ok(received) => (Some(to_json(&received.headers)), Some(text(&received.body))),
        Err(_) => (None, None),
    };
    Attempt {
        claimed,
        delivered_at,
        duration_ms: i64::try_from(outcome.duration.as_millis()).unwrap_or(i64::MAX),
        status: status_text,
        status_code: status.ok().map(|status| status.as_u16().into()),
        request_headers: to_json(request_headers),
        response_headers,
        response_body,
        retry_at,
    }
}

fn to_json(headers: &HeaderMap) -> String {
    let mut map = Map::new();
    for (name, value) in headers {
        let value = text(value.as_bytes());
        match map.entry(spelling(name)) {
            serde_json::map::Entry::Vacant(entry) => {
                entry.insert(value.into());
            }
            serde_json::map::Entry::Occupied(mut entry) => {
                let joined = format!("{}, {value}", entry.get().as_str().unwrap_or_default());
                entry.insert(joined.into());
            }
        }
    }
    Value::Object(map).to_string()
}

fn spelling(name: &HeaderName) -> String {
    if let Some((_, known)) = SPELLINGS.iter().find(|(lower, _)| *lower == name.as_str()) {
        return (*known).to_owned();
    }
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    let words = name.as_str().split('-').map(|word| if word.is_empty() { String::new() } else { capital(word) });
    words.collect::<Vec<_>>().join("-")
}

/// A database text: UTF-8, without NUL.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_stored_as_github_shows_them() {
        let mut headers = HeaderMap::new();
        headers.insert("x-github-hook-id", 7.into());
        headers.insert("content-type", "text/plain".parse().expect("a value"));
        headers.append("set-cookie", "a".parse().expect("a value"));
        headers.append("set-cookie", "b".parse().expect("a value"));
        let stored: Value = serde_json::from_str(&to_json(&headers)).expect("JSON");
        let expected =
            serde_json::json!({ "X-GitHub-Hook-ID": "7", "Content-Type": "text/plain", "Set-Cookie": "a, b" });
        assert_eq!(stored, expected);
    }

    #[test]
    fn text_of_a_response_can_be_stored() {
        assert_eq!(text(b"a\0b\xff"), "a\u{fffd}b\u{fffd}");
    }
}
