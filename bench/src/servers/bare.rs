//! The baseline for reads: axum with the same connection settings as the service, sending responses from memory.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, Method, Uri};

use super::listener;
use super::recorded::RecordedResponses;

pub async fn serve(responses: RecordedResponses) -> Result<ExitCode> {
    let router = Router::new().fallback(respond).with_state(Arc::new(responses));
    listener::serve_router(router).await
}

async fn respond(
    State(responses): State<Arc<RecordedResponses>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    responses.for_request(&method, &uri, &headers)
}
