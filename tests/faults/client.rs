//! A client that keeps its connection, and knows whether a request can have reached the server.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longer than the server's own limit of 10 s, so that the server decides.
const TIMEOUT: Duration = Duration::from_secs(15);
const HEAD_MAX: usize = 64 * 1024;

pub struct Client {
    address: SocketAddr,
    token: String,
    timeout: Duration,
    stream: Option<TcpStream>,
}

/// Why there is no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// No connection could be made, so nothing was sent.
    NotConnected,
    /// The request was sent, and the response did not come or is not whole.
    Cut,
}

#[derive(Debug, Clone)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

impl Client {
    pub fn new(address: SocketAddr, token: &str) -> Self {
        Self { address, token: token.to_owned(), timeout: TIMEOUT, stream: None }
    }

    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    pub fn get(&mut self, path: &str) -> Result<Response, Failure> {
        self.send("GET", path, "")
    }

    pub fn send(&mut self, method: &str, path: &str, body: &str) -> Result<Response, Failure> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => self.connect().ok_or(Failure::NotConnected)?,
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-length: {}\r\n\r\n",
            self.token,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).map_err(|_| Failure::Cut)?;
        let response = read(&mut stream).ok_or(Failure::Cut)?;
        let closes = response.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        self.stream = (!closes).then_some(stream);
        Ok(response)
    }

    fn connect(&self) -> Option<TcpStream> {
        let stream = TcpStream::connect_timeout(&self.address, self.timeout).ok()?;
        stream.set_read_timeout(Some(self.timeout)).ok()?;
        stream.set_write_timeout(Some(self.timeout)).ok()?;
        stream.set_nodelay(true).ok()?;
        Some(stream)
    }
}

/// One response with a known length; the server never sends another kind to a request without `Accept-Encoding`.
fn read(stream: &mut TcpStream) -> Option<Response> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0 && bytes.len() < HEAD_MAX)?;
        bytes.extend_from_slice(&buffer[..count]);
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut body = bytes.split_off(end + 4);
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let mut response = Response { status, head, body: String::new() };
    let length: usize = response.header("content-length").map_or(Some(0), |length| length.parse().ok())?;
    let have = body.len();
    body.resize(length.max(have), 0);
    stream.read_exact(&mut body[have..]).ok()?;
    response.body = String::from_utf8_lossy(&body).into_owned();
    Some(response)
}
