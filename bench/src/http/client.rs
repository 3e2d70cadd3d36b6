//! A blocking client for requests whose speed does not matter: preparing data, looking at responses.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::parse::{self, Head};
use super::request::request;
use super::response::Response;

/// Far above what any request of this client takes.
const TIMEOUT: Duration = Duration::from_secs(60);

/// One connection.
pub struct Client {
    stream: TcpStream,
    incoming: Vec<u8>,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).with_context(|| format!("cannot connect to {address}"))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        Ok(Self { stream, incoming: Vec::new() })
    }

    pub fn get(&mut self, path: &str) -> Result<Response> {
        self.send_raw(&request("GET", path, "")).with_context(|| format!("GET {path}"))
    }

    pub fn send(&mut self, method: &str, path: &str, body: &Value) -> Result<Response> {
        self.send_raw(&request(method, path, &body.to_string())).with_context(|| format!("{method} {path}"))
    }

    /// Sends these bytes and waits for the response.
    pub fn send_raw(&mut self, request: &[u8]) -> Result<Response> {
        self.stream.write_all(request)?;
        self.incoming.clear();
        let mut buffer = vec![0; 1 << 16];
        let mut head: Option<Head> = None;
        loop {
            let count = self.stream.read(&mut buffer)?;
            if count == 0 {
                bail!("the server closed the connection");
            }
            self.incoming.extend_from_slice(&buffer[..count]);
            if head.is_none() {
                head = parse::head(&self.incoming)?;
            }
            if let Some(head) = &head
                && let Some(body) = parse::body(head, &self.incoming)
            {
                return Ok(Response {
                    status: head.status,
                    headers: parse::headers(&self.incoming[..head.length]),
                    body: body.into_owned(),
                });
            }
        }
    }
}
