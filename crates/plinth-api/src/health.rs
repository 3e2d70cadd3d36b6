//! Liveness and readiness, which need no credential and are not rate limited.

use axum::response::Response;
use http::{Method, StatusCode};

use crate::app::App;
use crate::response::api_response::ApiResponse;
use crate::response::content_type::JSON;
use crate::response::error_response::error_response;
use plinth_base::error::Error;
use plinth_base::urls::Urls;

/// Where operators read what makes a service unready, on the listener for metrics.
pub const DETAILS_PATH: &str = "/readyz/details";

/// The response to a health check; nothing for other requests.
pub async fn respond(app: &App, method: &Method, path: &str) -> Option<Response> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return None;
    }
    match path {
        "/healthz" => Some(ApiResponse::text("text/plain; charset=utf-8", "alive\n").into_response()),
        // Boxed, because every other request would have space for this future.
        "/readyz" => Some(Box::pin(readiness(app)).await),
        _ => None,
    }
}

/// Says whether, but never why: anyone may ask.
async fn readiness(app: &App) -> Response {
    if app.readiness().await.ready {
        return ApiResponse::text("text/plain; charset=utf-8", "ready\n").into_response();
    }
    error_response(&Error::Unavailable("not ready".into()), None, &Urls::new("", ""))
}

/// The result of every check.
pub async fn details(app: &App) -> Response {
    let report = app.readiness().await;
    let body = serde_json::to_vec_pretty(&report).expect("the report has text keys and no failing parts");
    let mut response = crate::response::content_type::with_type(JSON, body);
    if !report.ready {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    response
}
