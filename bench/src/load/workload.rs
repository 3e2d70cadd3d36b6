//! Workloads: which requests are sent, and which responses are expected.

use anyhow::{Result, bail};

use crate::http::{Recording, write_request};

/// An endless sequence of requests.
pub trait Workload {
    /// Writes the next request and returns its number.
    fn write_next(&mut self, out: &mut Vec<u8>) -> u64;
    /// Checks the response to a request.
    fn check(&mut self, number: u64, status: u16, body: &[u8]) -> Result<()>;
    /// Takes the response to a request, whose head is given as bytes.
    fn receive(&mut self, number: u64, _head: &[u8], (status, body): (u16, &[u8])) -> Result<()> {
        self.check(number, status, body)
    }
}

/// Repeats recorded requests; each response must equal the recorded one byte by byte.
pub struct Replay {
    recordings: Vec<Recording>,
    next: usize,
}

impl Replay {
    pub fn new(recordings: Vec<Recording>) -> Self {
        Self { recordings, next: 0 }
    }
}

impl Workload for Replay {
    fn write_next(&mut self, out: &mut Vec<u8>) -> u64 {
        let number = self.next;
        self.next = (self.next + 1) % self.recordings.len();
        out.extend_from_slice(&self.recordings[number].request);
        number as u64
    }

    fn check(&mut self, number: u64, status: u16, body: &[u8]) -> Result<()> {
        let recording = &self.recordings[usize::try_from(number).unwrap_or_default()];
        if status == recording.response.status && body == recording.response.body {
            return Ok(());
        }
        bail!("{} returned {status} {}, which differs from the recorded response", recording.path, excerpt(body))
    }
}

/// Generates requests that all differ.
pub struct Generated {
    method: &'static str,
    /// The expected status.
    pub status: u16,
    /// The path and body of a request by its number.
    generate: Box<dyn Fn(u64) -> (String, String)>,
    /// Continues from one measurement to the next, so that nothing is created twice.
    next: u64,
}

impl Generated {
    pub fn new(method: &'static str, status: u16, generate: impl Fn(u64) -> (String, String) + 'static) -> Self {
        Self { method, status, generate: Box::new(generate), next: 0 }
    }
}

impl Workload for Generated {
    fn write_next(&mut self, out: &mut Vec<u8>) -> u64 {
        let number = self.next;
        self.next += 1;
        let (path, body) = (self.generate)(number);
        write_request(out, self.method, &path, &body);
        number
    }

    fn check(&mut self, number: u64, status: u16, body: &[u8]) -> Result<()> {
        if status == self.status && !body.is_empty() {
            return Ok(());
        }
        let (path, _) = (self.generate)(number);
        bail!("{} {path} returned {status} instead of {}: {}", self.method, self.status, excerpt(body))
    }
}

fn excerpt(body: &[u8]) -> String {
    String::from_utf8_lossy(body).chars().take(300).collect()
}
