//! A receiver of webhooks on a free port of the loopback interface, which records what it gets and can misbehave.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use aws_lc_rs::hmac;
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::wait::{wait_until, wait_until_async};

/// What a receiver does with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Behaviour {
    /// Responds with this status and the body `ok`.
    Status(u16),
    /// Responds 302 to this URL.
    RedirectTo(String),
    /// Reads the request and does not respond before another behaviour is set.
    Silent,
    /// Closes each connection before it reads anything.
    Closed,
    /// Responds with bytes that are not HTTP.
    Garbage,
    /// Responds 200 with a body that does not end.
    EndlessBody,
    /// Responds 200 with headers that do not end.
    EndlessHeaders,
}

/// One request that a receiver got.
#[derive(Debug, Clone)]
pub struct Received {
    pub method: String,
    pub path: String,
    /// By lower-case name.
    pub headers: HashMap<String, String>,
    pub body: Bytes,
}

impl Received {
    /// A header, or an empty text.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The name of the event.
    pub fn event(&self) -> &str {
        self.header("x-github-event")
    }

    /// The payload of a request with JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }

    /// Checks the signature of the body.
    #[track_caller]
    pub fn assert_signed(&self, secret: &str) {
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), &self.body);
        let expected: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(self.header("x-hub-signature-256"), format!("sha256={expected}"));
    }
}

/// A running receiver; it ends when it is dropped.
pub struct Receiver {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    _stop: tokio::sync::oneshot::Sender<()>,
}

struct Shared {
    received: Mutex<Vec<Received>>,
    /// Requests and connections at this moment.
    open: Mutex<(usize, usize)>,
    behaviour: watch::Sender<Behaviour>,
}

impl Receiver {
    /// Starts on a thread of its own, so that blocking tests can use it too.
    pub fn start(behaviour: Behaviour) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        Self::with_listener(listener, behaviour)
    }

    /// Starts at the address of a receiver that has ended, as soon as that is possible.
    pub fn at(address: SocketAddr, behaviour: Behaviour) -> Self {
        let mut listener = None;
        wait_until("the address is free", || {
            listener = std::net::TcpListener::bind(address).ok();
            listener.is_some()
        });
        Self::with_listener(listener.expect("the loop ends with one"), behaviour)
    }

    fn with_listener(listener: std::net::TcpListener, behaviour: Behaviour) -> Self {
        let shared = Arc::new(Shared {
            received: Mutex::default(),
            open: Mutex::default(),
            behaviour: watch::channel(behaviour).0,
        });
        listener.set_nonblocking(true).expect("a socket can be non-blocking");
        let address = listener.local_addr().expect("a listener has an address");
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let accepting = shared.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime can be created").block_on(async {
                let listener = TcpListener::from_std(listener).expect("a listener can be registered");
                tokio::select! {
                    () = accept(listener, accepting) => {}
                    _ = stopped => {}
                }
            });
        });
        Self { address, shared, _stop: stop }
    }

    /// A receiver that accepts everything.
    pub fn ok() -> Self {
        Self::start(Behaviour::Status(200))
    }

    /// The URL for a hook.
    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Changes the behaviour; requests without a response get one now.
    pub fn set(&self, behaviour: Behaviour) {
        self.shared.behaviour.send_replace(behaviour);
    }

    pub fn received(&self) -> Vec<Received> {
        self.shared.received.lock().clone()
    }

    pub fn count(&self) -> usize {
        self.shared.received.lock().len()
    }

    /// Requests that have no response yet.
    pub fn requests_open(&self) -> usize {
        self.shared.open.lock().0
    }

    pub fn connections_open(&self) -> usize {
        self.shared.open.lock().1
    }

    /// Waits for at least so many requests, and returns all.
    pub async fn wait_for(&self, count: usize) -> Vec<Received> {
        wait_until_async("the receiver gets the deliveries", async || self.count() >= count).await;
        self.received()
    }

    /// As [`Receiver::wait_for`], for blocking tests.
    pub fn wait_for_blocking(&self, count: usize) -> Vec<Received> {
        wait_until("the receiver gets the deliveries", || self.count() >= count);
        self.received()
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let shared = shared.clone();
        tokio::spawn(async move {
            shared.open.lock().1 += 1;
            serve(stream, &shared).await;
            shared.open.lock().1 -= 1;
        });
    }
}

async fn serve(mut stream: TcpStream, shared: &Arc<Shared>) {
    let behaviour = shared.behaviour.borrow().clone();
    match behaviour {
        Behaviour::Closed => {}
        Behaviour::Garbage => {
            read_something(&mut stream).await;
            let _ = stream.write_all(b"\x16\x03\x01 this is not HTTP\r\n\r\n").await;
        }
        Behaviour::EndlessBody => {
            read_something(&mut stream).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await;
            while stream.write_all(b"1000\r\n").await.is_ok() && stream.write_all(&[b'x'; 0x1000]).await.is_ok() {
                let _ = stream.write_all(b"\r\n").await;
            }
        }
        Behaviour::EndlessHeaders => {
            read_something(&mut stream).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n").await;
            while stream.write_all(b"x-endless: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n").await.is_ok() {}
        }
        Behaviour::Status(_) | Behaviour::RedirectTo(_) | Behaviour::Silent => {
            let service = service_fn(|request| respond(request, shared.clone()));
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        }
    }
}

async fn read_something(stream: &mut TcpStream) {
    let _ = stream.read(&mut [0; 4096]).await;
}

async fn respond(request: Request<Incoming>, shared: Arc<Shared>) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let Ok(body) = body.collect().await else { return Ok(Response::default()) };
    let value = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = head.headers.iter().map(|(name, text)| (name.as_str().to_owned(), value(text))).collect();
    let (method, path) = (head.method.to_string(), head.uri.to_string());
    shared.received.lock().push(Received { method, path, headers, body: body.to_bytes() });
    let _open = OpenRequest::begin(&shared);
    let mut behaviour = shared.behaviour.subscribe();
    let current = behaviour.wait_for(|behaviour| *behaviour != Behaviour::Silent).await;
    let current = current.map_or(Behaviour::Status(500), |behaviour| behaviour.clone());
    let response = match current {
        Behaviour::Status(status) => Response::builder().status(status),
        Behaviour::RedirectTo(url) => Response::builder().status(StatusCode::FOUND).header("location", url),
        _ => Response::builder().status(StatusCode::INTERNAL_SERVER_ERROR),
    };
    Ok(response.body(Full::new(Bytes::from_static(b"ok"))).expect("the test's response is well formed"))
}

struct OpenRequest<'a>(&'a Shared);

impl<'a> OpenRequest<'a> {
    fn begin(shared: &'a Shared) -> Self {
        shared.open.lock().0 += 1;
        Self(shared)
    }
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        self.0.open.lock().0 -= 1;
    }
}
