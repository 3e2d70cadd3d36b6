//! Accepts connections and serves them with the same settings as the service.

use std::convert::Infallible;
use std::future::Future;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use axum::body::Body;
use axum::response::Response;
use http::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;
use tower_service::Service;

/// As [`serve`], with a router of axum.
pub async fn serve_router(router: Router) -> Result<ExitCode> {
    serve(move |request| {
        let mut router = router.clone();
        async move {
            let Ok(response) = router.call(request).await;
            response
        }
    })
    .await
}

/// Prints the address and serves until the process is killed.
pub async fn serve<H, R>(handle: H) -> Result<ExitCode>
where
    H: Fn(Request<Body>) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Response> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let handle = handle.clone();
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            let service = hyper::service::service_fn(move |request: Request<Incoming>| {
                let response = handle(request.map(Body::new));
                async move { Ok::<_, Infallible>(response.await) }
            });
            let mut builder = auto::Builder::new(TokioExecutor::new());
            builder
                .http1()
                .timer(TokioTimer::new())
                .header_read_timeout(Duration::from_secs(10))
                .max_buf_size(48 * 1024);
            builder.http2().timer(TokioTimer::new()).max_concurrent_streams(100).max_header_list_size(48 * 1024);
            // The load generator closes its connections when it is done.
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
