//! Connections: accepted up to a limit, served over HTTP/1 and HTTP/2, drained when the service stops.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, ETAG};
use http::{HeaderValue, Request};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::ServiceExt;
use tower_http::compression::Compression;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};

use crate::api::Gate;
use crate::app::App;
use crate::error::Result;
use crate::router;

/// Request line and headers together; more is answered with 431.
const HEAD_BYTES_MAX: usize = 24 * 1024;
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
const HTTP2_STREAMS_MAX: u32 = 100;
const HTTP2_HEADER_BYTES_MAX: u32 = 16 * 1024;

/// The gate, behind the encoding that the client accepts.
#[derive(Clone)]
pub struct Door {
    gate: Arc<Gate>,
}

impl Door {
    pub fn new(app: App) -> Self {
        Self { gate: Arc::new(Gate::new(app, router::routes())) }
    }

    /// Answers a request that came from `peer`.
    pub async fn answer(&self, request: Request<Body>, peer: IpAddr) -> Response {
        if !accepts_gzip(&request) {
            return self.gate.answer(request, peer).await;
        }
        let gate = self.gate.clone();
        let inner = tower::service_fn(move |request| {
            let gate = gate.clone();
            async move { Ok::<_, std::convert::Infallible>(gate.answer(request, peer).await) }
        });
        // Packs are compressed already.
        let worth_it = DefaultPredicate::new().and(NotForContentType::const_new("application/x-git-"));
        let Ok(response) = Compression::new(inner).compress_when(worth_it).oneshot(request).await;
        let mut response = response.map(Body::new);
        if response.headers().contains_key(CONTENT_ENCODING) {
            weaken_tag(&mut response);
        }
        response
    }
}

fn accepts_gzip(request: &Request<Body>) -> bool {
    let values = request.headers().get_all(ACCEPT_ENCODING).iter();
    values.filter_map(|value| value.to_str().ok()).any(|value| value.contains("gzip"))
}

/// Encoded bytes are not the very same bytes, so their tag is only a weak one.
fn weaken_tag(response: &mut Response) {
    let Some(tag) = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok()) else { return };
    if let Ok(weak) = HeaderValue::try_from(format!("W/{tag}")) {
        response.headers_mut().insert(ETAG, weak);
    }
}

/// Serves until `stop` is ready, then finishes what is under way.
pub async fn serve(listener: TcpListener, app: App, stop: impl Future<Output = ()>) -> Result<()> {
    let door = Door::new(app.clone());
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(app.settings.connections_max));
    tokio::pin!(stop);
    loop {
        let place = places.clone().acquire_owned().await.expect("nobody closes this semaphore");
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, most likely: wait for some to come back.
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let connection = connection(stream, peer, door.clone());
        let watched = graceful.watcher();
        tokio::spawn(async move {
            connection.serve(watched).await;
            drop(place);
        });
    }
    app.start_draining();
    drop(listener);
    if tokio::time::timeout(app.settings.drain_timeout, graceful.shutdown()).await.is_err() {
        tracing::warn!("some connections were still busy when the time to stop was over");
    }
    Ok(())
}

struct Connection {
    stream: TcpStream,
    peer: SocketAddr,
    door: Door,
}

fn connection(stream: TcpStream, peer: SocketAddr, door: Door) -> Connection {
    Connection { stream, peer, door }
}

impl Connection {
    async fn serve(self, watcher: hyper_util::server::graceful::Watcher) {
        let Connection { stream, peer, door } = self;
        // Answers are written whole, so waiting for more bytes only delays them.
        let _ = stream.set_nodelay(true);
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            let door = door.clone();
            async move { Ok::<_, std::convert::Infallible>(door.answer(request.map(Body::new), peer.ip()).await) }
        });
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT).max_buf_size(HEAD_BYTES_MAX);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(HTTP2_STREAMS_MAX)
            .max_header_list_size(HTTP2_HEADER_BYTES_MAX);
        let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
        if let Err(error) = watcher.watch(connection).await {
            tracing::debug!(%error, %peer, "a connection ended early");
        }
    }
}
