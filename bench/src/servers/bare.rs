//! The baseline for reads: axum with the same connection settings as the service, sending responses from memory.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use http::Uri;
use tower_service::Service;

use super::listener;
use super::recorded::RecordedResponses;

pub async fn serve(responses: RecordedResponses) -> Result<ExitCode> {
    let router = Router::new().fallback(respond).with_state(Arc::new(responses));
    listener::serve(move |request| {
        let mut router = router.clone();
        async move {
            let Ok(response) = router.call(request).await;
            response
        }
    })
    .await
}

async fn respond(State(responses): State<Arc<RecordedResponses>>, uri: Uri) -> Response {
    responses.for_path(uri.path_and_query().map_or("/", |path| path.as_str()))
}
