//! The metrics listener: `/metrics` and `/readyz/details`, on a separate address.

use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use http::Request;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

use crate::config::Options;
use plinth_api::app::App;
use plinth_api::health;
use plinth_api::response::api_response::ApiResponse;
use plinth_base::error::{Error, Result};

/// How long to wait after the system could not accept a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long a connection may be idle.
const IDLE_TIMEOUT: Duration = Duration::from_secs(90);

/// Starts the listener if an address is set, and returns the URL of the metrics.
pub async fn start(options: &Options, app: &App) -> Result<Option<String>> {
    let Some(address) = options.metrics_listen else { return Ok(None) };
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| Error::BadRequest(format!("cannot listen on {address} for metrics: {error}")))?;
    let url = format!("http://{}/metrics", listener.local_addr()?);
    tracing::info!("metrics at {url}");
    tokio::spawn(accept(listener, app.clone()));
    Ok(Some(url))
}

async fn accept(listener: TcpListener, app: App) {
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection for metrics");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let app = app.clone();
        let service = hyper::service::service_fn(move |request: Request<hyper::body::Incoming>| {
            let (app, path) = (app.clone(), request.uri().path().to_owned());
            async move { Ok::<_, std::convert::Infallible>(respond(&app, &path).await) }
        });
        let mut builder = hyper::server::conn::http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(IDLE_TIMEOUT);
        tokio::spawn(builder.serve_connection(TokioIo::new(stream), service));
    }
}

async fn respond(app: &App, path: &str) -> Response<Body> {
    match path {
        "/metrics" => ApiResponse::text("text/plain; version=0.0.4", app.metrics.render(app)).into_response(),
        health::DETAILS_PATH => health::details(app).await,
        _ => ApiResponse::not_found().into_response(),
    }
}
