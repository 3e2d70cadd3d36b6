//! The limit of reading: axum on the same parts as the service, sending bytes that it has in memory.

use std::process::ExitCode;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use http::Uri;
use tower_service::Service;

use super::{Answers, accept};
use crate::Result;

pub async fn serve(answers: Answers) -> Result<ExitCode> {
    let router = Router::new().fallback(answer).with_state(Arc::new(answers));
    accept(move |request| {
        let mut router = router.clone();
        async move {
            let Ok(response) = router.call(request).await;
            response
        }
    })
    .await
}

async fn answer(State(answers): State<Arc<Answers>>, uri: Uri) -> Response {
    answers.for_path(uri.path_and_query().map_or("/", |path| path.as_str()))
}
