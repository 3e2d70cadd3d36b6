//! Liveness and readiness, which need no credential and cost no budget.

use axum::response::{IntoResponse, Response};
use http::Method;

use super::refusal::refusal;
use super::reply::Reply;
use crate::app::App;
use crate::error::Error;
use crate::urls::Urls;

/// The answer where the request asks for health, or nothing.
pub async fn answer(app: &App, method: &Method, path: &str) -> Option<Response> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return None;
    }
    match path {
        "/healthz" => Some(Reply::text("text/plain; charset=utf-8", "alive\n").into_response()),
        "/readyz" => Some(readiness(app).await),
        _ => None,
    }
}

/// Ready means: not stopping, and the store answers.
async fn readiness(app: &App) -> Response {
    let ready = if app.is_draining() { Err(Error::Unavailable("stopping".into())) } else { app.store.check().await };
    match ready {
        Ok(()) => Reply::text("text/plain; charset=utf-8", "ready\n").into_response(),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            refusal(&Error::Unavailable("not ready".into()), None, &Urls::new("", ""))
        }
    }
}
