//! One connection from its first byte to its last.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::Response;
use bytes::BytesMut;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::Watcher;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::body::{InFlight, TrackedBody};
use super::connections::{Admission, Ticket, Tracked};
use super::head::HEAD_BYTES_MAX;
use super::http_service::{Aborted, HttpService};
use super::stream::Stream;

const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HTTP2_STREAMS_MAX: u32 = 100;
/// Far above the limits of a request, so that a request above them gets a response with a body: the protocol rejects a longer
/// list by itself, without one.
const HTTP2_HEADER_BYTES_MAX: u32 = 256 * 1024;
/// What waits in memory for one slow stream.
const HTTP2_SEND_BUFFER_MAX: usize = 64 * 1024;
/// A client that does not respond to a ping is gone.
const HTTP2_PING_INTERVAL: Duration = Duration::from_secs(20);
const HTTP2_PING_TIMEOUT: Duration = Duration::from_secs(20);

/// What serves a connection.
pub struct Connection {
    pub stream: TcpStream,
    pub peer: IpAddr,
    pub service: HttpService,
    pub ticket: Ticket,
}

enum Protocol {
    Http1,
    Http2,
}

impl Connection {
    /// Serves until either side ends it. A connection that has not said what it speaks ends when the server drains.
    pub async fn serve(self, watcher: Watcher, mut draining: watch::Receiver<bool>) {
        let tracked = self.ticket.tracked.clone();
        let ended = tokio::select! {
            ended = self.run(watcher, &mut draining) => ended,
            () = tracked.closed() => return,
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended early");
        }
    }

    async fn run(self, watcher: Watcher, draining: &mut watch::Receiver<bool>) -> Result<(), BoxError> {
        let Connection { mut stream, peer, service, ticket } = self;
        // Responses are written whole, so waiting for more bytes only delays them.
        stream.set_nodelay(true)?;
        let tracked = ticket.tracked.clone();
        let detected = tokio::select! {
            detected = detect(&mut stream, &tracked) => detected?,
            _ = draining.wait_for(|draining| *draining) => return Ok(()),
        };
        match detected {
            None => {}
            Some((Protocol::Http1, read)) => {
                let io = Stream::http1(stream, read, tracked.clone(), service.clone());
                let service = service_fn(move |request: Request<Incoming>| {
                    let (service, in_flight) = (service.clone(), InFlight::http1(tracked.clone()));
                    async move { respond(&service, request, peer, in_flight).await }
                });
                // The heads' timeouts are those of the connection, which distinguish an idle one from one that is sending.
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(None)
                    .max_buf_size(HEAD_BYTES_MAX)
                    .serve_connection(TokioIo::new(io), service);
                watcher.watch(connection).await?;
            }
            Some((Protocol::Http2, read)) => {
                let io = Stream::http2(stream, read, tracked.clone(), service.clone());
                let streams = AtomicU64::new(0);
                let service = service_fn(move |request: Request<Incoming>| {
                    let stream = streams.fetch_add(1, Ordering::Relaxed);
                    let (service, in_flight) = (service.clone(), InFlight::http2(tracked.clone(), stream));
                    async move { respond(&service, request, peer, in_flight).await }
                });
                let connection = http2::Builder::new(TokioExecutor::new())
                    .timer(TokioTimer::new())
                    .max_concurrent_streams(HTTP2_STREAMS_MAX)
                    .max_header_list_size(HTTP2_HEADER_BYTES_MAX)
                    .max_send_buf_size(HTTP2_SEND_BUFFER_MAX)
                    .keep_alive_interval(HTTP2_PING_INTERVAL)
                    .keep_alive_timeout(HTTP2_PING_TIMEOUT)
                    .serve_connection(TokioIo::new(io), service);
                watcher.watch(connection).await?;
            }
        }
        drop(ticket);
        Ok(())
    }
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Reads until it is clear which protocol the client speaks; nothing if it says nothing.
async fn detect(stream: &mut TcpStream, tracked: &Arc<Tracked>) -> io::Result<Option<(Protocol, BytesMut)>> {
    let mut read = BytesMut::with_capacity(1024);
    loop {
        if stream.read_buf(&mut read).await? == 0 {
            return Ok(None);
        }
        tracked.activity().head_began(Instant::now());
        let length = read.len().min(HTTP2_PREFACE.len());
        if read[..length] != HTTP2_PREFACE[..length] {
            return Ok(Some((Protocol::Http1, read)));
        }
        if length == HTTP2_PREFACE.len() {
            return Ok(Some((Protocol::Http2, read)));
        }
    }
}

async fn respond(
    service: &HttpService,
    request: Request<Incoming>,
    peer: IpAddr,
    in_flight: InFlight,
) -> Result<Response<TrackedBody>, Aborted> {
    let request = request.map(Body::new);
    let response = match in_flight.admission() {
        Admission::Served => service.respond_or_abort(request, peer).await?,
        Admission::Reserve => service.respond_overloaded(request).await,
    };
    Ok(response.map(|body| TrackedBody::new(body, in_flight)))
}
