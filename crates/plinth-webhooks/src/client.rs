//! The HTTP client for deliveries: no redirects, no proxies, no cookies, and a limit on everything that a receiver sends.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use plinth_base::ids::WebhookId;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::address::AllowedAddresses;
use crate::error::SendError;
use crate::pool::{Connection, Key, Pool};
use crate::target::{Resolver, SystemResolver, Target};
use crate::tls::{Tls, Verification};

/// How long a delivery may take in all, as on GitHub.
pub const TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait for one of several addresses.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// What is stored of a response. More is not read, and the connection is closed.
pub const RESPONSE_BYTES_MAX: usize = 64 * 1024;
const RESPONSE_HEADERS_MAX: usize = 100;
const RESPONSE_HEAD_BYTES_MAX: usize = 32 * 1024;

/// What is sent to a hook.
#[derive(Debug, Clone)]
pub struct Outgoing {
    pub hook: WebhookId,
    pub url: String,
    pub verification: Verification,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    pub duration: Duration,
    pub response: Result<Received, SendError>,
}

/// A response, as far as it was read.
#[derive(Debug)]
pub struct Received {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// Sends requests to receivers.
pub struct Client {
    resolver: Arc<dyn Resolver>,
    allowed: AllowedAddresses,
    tls: Tls,
    pool: Pool,
    timeout: Duration,
}

impl Client {
    pub fn new(allowed: AllowedAddresses) -> Self {
        Self {
            resolver: Arc::new(SystemResolver),
            allowed,
            tls: Tls::default(),
            pool: Pool::default(),
            timeout: TIMEOUT,
        }
    }

    pub fn with_resolver(mut self, resolver: Arc<dyn Resolver>) -> Self {
        self.resolver = resolver;
        self
    }

    pub fn with_tls(mut self, tls: Tls) -> Self {
        self.tls = tls;
        self
    }

    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Closes connections that have been idle for too long.
    pub fn close_idle(&self) {
        self.pool.clean();
    }

    /// Sends a request once. A connection that was idle may have been closed by the receiver; then a new one is made.
    pub async fn send(&self, outgoing: &Outgoing) -> Outcome {
        let started = Instant::now();
        let sent = tokio::time::timeout(self.timeout, self.try_send(outgoing)).await;
        Outcome { duration: started.elapsed(), response: sent.unwrap_or(Err(SendError::TimedOut)) }
    }

    async fn try_send(&self, outgoing: &Outgoing) -> Result<Received, SendError> {
        let target = Target::parse(&outgoing.url)?;
        let key = Key { hook: outgoing.hook, origin: target.origin.clone(), verification: outgoing.verification };
        if let Some(connection) = self.pool.take(&key)
            && let Ok(received) = self.send_on(connection, &key, &target, outgoing).await
        {
            return Ok(received);
        }
        let connection = self.connect(&key).await?;
        self.send_on(connection, &key, &target, outgoing).await
    }

    async fn connect(&self, key: &Key) -> Result<Connection, SendError> {
        let addresses = key.origin.addresses(&*self.resolver, &self.allowed).await?;
        let stream = connect_to_one_of(&addresses).await?;
        if !key.origin.is_https {
            return handshake(stream).await;
        }
        let connector = self.tls.connector(key.verification).await?;
        let name = key.origin.server_name()?;
        handshake(connector.connect(name, stream).await.map_err(|_| SendError::Tls)?).await
    }

    async fn send_on(
        &self,
        mut connection: Connection,
        key: &Key,
        target: &Target,
        outgoing: &Outgoing,
    ) -> Result<Received, SendError> {
        connection.ready().await.map_err(|_| SendError::BadResponse)?;
        let response = connection.send_request(request(target, outgoing)?).await;
        let (received, read) = receive(response.map_err(|_| SendError::BadResponse)?).await?;
        // A connection with an unread rest cannot be used again.
        if read == Read::All {
            self.pool.put(key.clone(), connection);
        }
        Ok(received)
    }
}

fn request(target: &Target, outgoing: &Outgoing) -> Result<Request<Full<Bytes>>, SendError> {
    let host = target.host_header.parse().map_err(|_| SendError::InvalidUrl("its host cannot be sent"))?;
    let mut request = Request::new(Full::new(outgoing.body.clone()));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = target.path.clone();
    *request.headers_mut() = outgoing.headers.clone();
    request.headers_mut().insert(http::header::HOST, host);
    Ok(request)
}

async fn connect_to_one_of(addresses: &[SocketAddr]) -> Result<TcpStream, SendError> {
    for (index, address) in addresses.iter().enumerate() {
        let connecting = TcpStream::connect(address);
        let connected = match index + 1 == addresses.len() {
            true => connecting.await.ok(),
            false => tokio::time::timeout(CONNECT_TIMEOUT, connecting).await.ok().and_then(Result::ok),
        };
        if let Some(stream) = connected {
            // A delivery is one small request, and waiting for more to send would only delay it.
            let _ = stream.set_nodelay(true);
            return Ok(stream);
        }
    }
    Err(SendError::CannotConnect)
}

async fn handshake(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Result<Connection, SendError> {
    let mut builder = http1::Builder::new();
    builder.max_headers(RESPONSE_HEADERS_MAX).max_buf_size(RESPONSE_HEAD_BYTES_MAX);
    let (sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(|_| SendError::CannotConnect)?;
    // Ends when the sender is dropped or the receiver closes.
    tokio::spawn(connection);
    Ok(sender)
}

/// How much of a body was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    All,
    Part,
}

async fn receive(response: Response<Incoming>) -> Result<(Received, Read), SendError> {
    let (head, mut incoming) = response.into_parts();
    let mut body = BytesMut::new();
    let mut read = Read::All;
    while let Some(frame) = incoming.frame().await {
        let Ok(data) = frame.map_err(|_| SendError::BadResponse)?.into_data() else { continue };
        let room = RESPONSE_BYTES_MAX - body.len();
        body.extend_from_slice(&data[..data.len().min(room)]);
        if data.len() > room {
            read = Read::Part;
            break;
        }
    }
    Ok((Received { status: head.status, headers: head.headers, body: body.freeze() }, read))
}
