//! A client for what is done once: looking at an answer, preparing data.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use super::{Head, answer, request};
use crate::Result;

/// Nothing that this client asks for takes longer on any machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// One connection.
pub struct Client {
    stream: TcpStream,
    incoming: Vec<u8>,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    /// In their order.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Result<Self> {
        let connected = || {
            let stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(TIMEOUT))?;
            Ok(Self { stream, incoming: Vec::new() })
        };
        connected().map_err(|error: std::io::Error| format!("cannot connect to {address}: {error}"))
    }

    pub fn get(&mut self, path: &str) -> Result<Reply> {
        self.exchange(&request("GET", path, "")).map_err(|error| format!("GET {path}: {error}"))
    }

    pub fn send(&mut self, method: &str, path: &str, body: &Value) -> Result<Reply> {
        self.exchange(&request(method, path, &body.to_string())).map_err(|error| format!("{method} {path}: {error}"))
    }

    /// Sends bytes as they are and waits for the answer.
    pub fn exchange(&mut self, request: &[u8]) -> Result<Reply> {
        self.stream.write_all(request).map_err(|error| error.to_string())?;
        self.incoming.clear();
        let mut buffer = vec![0; 1 << 16];
        let mut head: Option<Head> = None;
        loop {
            let count = self.stream.read(&mut buffer).map_err(|error| error.to_string())?;
            if count == 0 {
                return Err("the server closed the connection".into());
            }
            self.incoming.extend_from_slice(&buffer[..count]);
            if head.is_none() {
                head = answer::head(&self.incoming)?;
            }
            if let Some(head) = &head
                && let Some(body) = answer::body(head, &self.incoming)
            {
                return Ok(Reply {
                    status: head.status,
                    headers: headers(&self.incoming[..head.length]),
                    body: body.into_owned(),
                });
            }
        }
    }
}

fn headers(head: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(head);
    let lines = text.lines().skip(1).filter_map(|line| line.split_once(':'));
    lines.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect()
}

impl Reply {
    /// This answer, if it has the status that was expected.
    pub fn expect(self, status: u16) -> Result<Self> {
        if self.status == status {
            return Ok(self);
        }
        Err(format!("answered with {} instead of {status}: {}", self.status, String::from_utf8_lossy(&self.body)))
    }

    pub fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.body).map_err(|error| format!("an answer is not JSON: {error}"))
    }
}
