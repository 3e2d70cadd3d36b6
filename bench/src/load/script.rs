//! What is asked, and what must be answered.

use crate::Result;
use crate::http::{Reply, write_request};

/// A row of requests without an end.
pub trait Script {
    /// Writes the next request and tells its number.
    fn next(&mut self, out: &mut Vec<u8>) -> u64;
    /// Judges the answer to a request.
    fn check(&mut self, number: u64, status: u16, body: &[u8]) -> Result<()>;
}

/// A request with the answer that was seen for it.
#[derive(Clone)]
pub struct Exchange {
    pub path: String,
    pub request: Vec<u8>,
    pub reply: Reply,
}

/// The same few requests again and again, each answered as it was at first, to the byte.
pub struct Replay {
    exchanges: Vec<Exchange>,
    next: usize,
}

impl Replay {
    pub fn new(exchanges: Vec<Exchange>) -> Self {
        Self { exchanges, next: 0 }
    }
}

impl Script for Replay {
    fn next(&mut self, out: &mut Vec<u8>) -> u64 {
        let number = self.next;
        self.next = (self.next + 1) % self.exchanges.len();
        out.extend_from_slice(&self.exchanges[number].request);
        number as u64
    }

    fn check(&mut self, number: u64, status: u16, body: &[u8]) -> Result<()> {
        let exchange = &self.exchanges[usize::try_from(number).unwrap_or_default()];
        if status == exchange.reply.status && body == exchange.reply.body {
            return Ok(());
        }
        Err(format!("{} was answered with {status} {}, not as before", exchange.path, shown(body)))
    }
}

/// Requests that are never the same twice.
pub struct Made {
    pub method: &'static str,
    pub status: u16,
    /// The path and the body of a request by its number.
    pub make: Box<dyn Fn(u64) -> (String, String)>,
    /// Goes on from one measurement to the next, so that nothing is created twice.
    pub next: u64,
}

impl Script for Made {
    fn next(&mut self, out: &mut Vec<u8>) -> u64 {
        let number = self.next;
        self.next += 1;
        let (path, body) = (self.make)(number);
        write_request(out, self.method, &path, &body);
        number
    }

    fn check(&mut self, number: u64, status: u16, body: &[u8]) -> Result<()> {
        if status == self.status && !body.is_empty() {
            return Ok(());
        }
        let (path, _) = (self.make)(number);
        Err(format!("{} {path} was answered with {status} instead of {}: {}", self.method, self.status, shown(body)))
    }
}

fn shown(body: &[u8]) -> String {
    String::from_utf8_lossy(body).chars().take(300).collect()
}
