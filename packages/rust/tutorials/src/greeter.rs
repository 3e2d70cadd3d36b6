//! A bot that reacts to a webhook.

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use octocrab::Octocrab;
use octocrab::models::webhook_events::payload::IssuesWebhookEventAction;
use octocrab::models::webhook_events::{WebhookEvent, WebhookEventPayload};

/// The bot's account, and the secret of its webhook.
#[derive(Clone)]
pub struct Greeter {
    pub github: Octocrab,
    pub secret: String,
}

/// The server of a bot that greets everybody who opens an issue.
pub fn router(greeter: Greeter) -> Router {
    Router::new().route("/", post(receive)).with_state(greeter)
}

async fn receive(State(greeter): State<Greeter>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (name, signature) = (header("x-github-event"), header("x-hub-signature-256"));
    match WebhookEvent::try_from_header_signature_and_body(name, signature, &greeter.secret, &body) {
        Ok(event) => greeter.greet(event).await.map_or(StatusCode::BAD_GATEWAY, |()| StatusCode::NO_CONTENT),
        Err(_) => StatusCode::BAD_REQUEST,
    }
}

impl Greeter {
    async fn greet(&self, event: WebhookEvent) -> octocrab::Result<()> {
        let (WebhookEventPayload::Issues(payload), Some(sender), Some(repository)) =
            (event.specific, event.sender, event.repository)
        else {
            return Ok(());
        };
        if payload.action == IssuesWebhookEventAction::Opened {
            let owner = repository.owner.map(|owner| owner.login).unwrap_or_default();
            let issues = self.github.issues(owner, repository.name);
            issues.create_comment(payload.issue.number, format!("Hello @{}!", sender.login)).await?;
        }
        Ok(())
    }
}
