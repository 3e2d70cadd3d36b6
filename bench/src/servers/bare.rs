//! The baseline for reads: axum with the same connection settings as the service, sending responses from memory.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use http::header::IF_NONE_MATCH;
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
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    match (method, headers.get(IF_NONE_MATCH)) {
        (Method::GET, None) => responses.for_path(path),
        (Method::GET, Some(tag)) => responses.for_tag(path, tag),
        (method, _) => responses.for_path(&format!("{method} {path}")),
    }
}
