//! A client with a persistent connection that knows whether a request can have reached the server.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// More than the server's own limit of 10 s, so that the server decides.
const TIMEOUT: Duration = Duration::from_secs(15);
const HEAD_MAX: usize = 64 * 1024;

pub struct Client {
    address: SocketAddr,
    token: String,
    timeout: Duration,
    stream: Option<TcpStream>,
    /// Once it is set, responses are ignored.
    power_is_off: Arc<AtomicBool>,
}

/// Why there is no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// No connection was made, so nothing was sent.
    NotConnected,
    /// The request was sent, and the response is missing or incomplete.
    Cut,
}

#[derive(Debug, Clone)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Response {
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

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
        Self { address, token: token.to_owned(), timeout: TIMEOUT, stream: None, power_is_off: Arc::default() }
    }

    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Shares the power switch of other clients.
    pub fn with_power(mut self, power_is_off: Arc<AtomicBool>) -> Self {
        self.power_is_off = power_is_off;
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
        if self.power_is_off.load(Ordering::SeqCst) {
            return Err(Failure::Cut);
        }
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

/// One response, with a content length or in chunks.
fn read(stream: &mut TcpStream) -> Option<Response> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = find(&bytes, b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > HEAD_MAX {
            return None;
        }
        read_some(stream, &mut bytes)?;
    };
    let mut body = bytes.split_off(end + 4);
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let mut response = Response { status, head, body: String::new() };
    if response.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        body = read_chunks(stream, body)?;
    } else {
        let length: usize = response.header("content-length").map_or(Some(0), |length| length.parse().ok())?;
        while body.len() < length {
            read_some(stream, &mut body)?;
        }
    }
    response.body = String::from_utf8_lossy(&body).into_owned();
    Some(response)
}

fn read_chunks(stream: &mut TcpStream, mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let (mut body, mut at) = (Vec::new(), 0);
    loop {
        let Some(line) = find(&bytes[at..], b"\r\n") else {
            read_some(stream, &mut bytes)?;
            continue;
        };
        let size = std::str::from_utf8(&bytes[at..at + line]).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        let start = at + line + 2;
        while bytes.len() < start + size + 2 {
            read_some(stream, &mut bytes)?;
        }
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(&bytes[start..start + size]);
        at = start + size + 2;
    }
}

fn read_some(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    let mut buffer = [0; 16 * 1024];
    let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
    bytes.extend_from_slice(&buffer[..count]);
    Some(())
}

fn find(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).position(|window| window == word)
}
