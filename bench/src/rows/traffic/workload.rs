//! Sends the requests of the row `traffic` and remembers what its clients would: entity tags.

use std::collections::HashMap;
use std::io::Write;
use std::rc::Rc;

use anyhow::{Result, bail};

use super::mix::{Condition, Operation, RequestBody};
use crate::http::{Recording, Response, header, headers};
use crate::load::Workload;
use crate::servers::NOT_MODIFIED;

/// A tag that no representation has.
const STALE_TAG: &str = "\"0000000000000000000000000000000000000000000000000000000000000000\"";

/// The requests, over and over.
pub struct Traffic {
    operations: Rc<Vec<Operation>>,
    next: u64,
    /// Which of the requests are sent.
    selection: Selection,
    tags: Tags,
    recorder: Option<Recorder>,
}

#[derive(Debug, Clone, Copy)]
pub enum Selection {
    All,
    Reads,
    Kind(&'static str),
}

/// Where the tags of conditional requests come from.
enum Tags {
    /// From the responses so far, by resource.
    Held(HashMap<usize, String>),
    /// From a recording, for a server that always sends what was recorded: by path, where the recorded response was 304.
    Recorded(Rc<Recorded>),
}

/// Responses to the requests, for a server that repeats them.
#[derive(Default)]
pub struct Recorded {
    /// The last response to each kind of request that had a body, and one that had none.
    pub responses: HashMap<String, Recording>,
    /// The requests that got 304.
    not_modified: Vec<bool>,
}

struct Recorder(Recorded);

impl Traffic {
    pub fn new(operations: Rc<Vec<Operation>>) -> Self {
        Self { operations, next: 0, selection: Selection::All, tags: Tags::Held(HashMap::new()), recorder: None }
    }

    /// Also records the responses.
    pub fn recording(operations: Rc<Vec<Operation>>) -> Self {
        let not_modified = vec![false; operations.len()];
        let recorder = Recorder(Recorded { not_modified, ..Recorded::default() });
        Self { recorder: Some(recorder), ..Self::new(operations) }
    }

    /// Sends requests that get the same responses again.
    pub fn repeated(operations: Rc<Vec<Operation>>, recorded: Rc<Recorded>) -> Self {
        Self { tags: Tags::Recorded(recorded), ..Self::new(operations) }
    }

    pub fn finish_recording(&mut self) -> Option<Recorded> {
        self.recorder.take().map(|Recorder(recorded)| recorded)
    }

    /// Leaves out all other requests from now on. Returns whether there are any of these.
    pub fn select(&mut self, selection: Selection) -> bool {
        self.selection = selection;
        self.operations.iter().any(|operation| selection.contains(operation))
    }

    /// How many of the requests so far were reads.
    pub fn reads(&self) -> u64 {
        let count = self.operations.len() as u64;
        let is_read = |number: &u64| self.operation(*number).method == "GET";
        let in_cycle = |end: u64| (0..end).filter(is_read).count() as u64;
        self.next / count * in_cycle(count) + in_cycle(self.next % count)
    }

    fn operation(&self, number: u64) -> &Operation {
        &self.operations[index(number, self.operations.len())]
    }

    fn tag(&self, number: u64) -> Option<&str> {
        let operation = self.operation(number);
        match (operation.condition, &self.tags) {
            (Condition::None, _) => None,
            (Condition::Stale, _) => Some(STALE_TAG),
            (Condition::Held, Tags::Held(tags)) => tags.get(&operation.resource).map(String::as_str),
            (Condition::Held, Tags::Recorded(recorded)) => {
                if !recorded.not_modified[index(number, self.operations.len())] {
                    return Some(STALE_TAG);
                }
                let found = recorded.responses.get(&key(operation));
                found.and_then(|found| found.response.header("etag")).or(Some(STALE_TAG))
            }
        }
    }
}

impl Selection {
    fn contains(self, operation: &Operation) -> bool {
        match self {
            Self::All => true,
            Self::Reads => operation.method == "GET",
            Self::Kind(kind) => operation.kind == kind,
        }
    }
}

fn index(number: u64, count: usize) -> usize {
    usize::try_from(number % count as u64).unwrap_or_default()
}

/// By which a server that repeats responses finds them.
fn key(operation: &Operation) -> String {
    match operation.method {
        "GET" => operation.path.clone(),
        method => format!("{method} {}", operation.path),
    }
}

impl Workload for Traffic {
    fn write_next(&mut self, out: &mut Vec<u8>) -> u64 {
        while !self.selection.contains(self.operation(self.next)) {
            self.next += 1;
        }
        let number = self.next;
        self.next += 1;
        let operation = self.operation(number);
        let Operation { method, path, token, .. } = operation;
        let begun = write!(
            out,
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/vnd.github+json\r\n\
             user-agent: plinth-bench\r\nauthorization: Bearer {token}\r\nx-github-api-version: 2022-11-28\r\n"
        );
        begun.expect("writing to memory always succeeds");
        if let Some(tag) = self.tag(number) {
            write!(out, "if-none-match: {tag}\r\n").expect("writing to memory always succeeds");
        }
        let body = match &operation.body {
            RequestBody::None => {
                out.extend_from_slice(b"\r\n");
                return number;
            }
            RequestBody::NewRef { sha } => format!(r#"{{"ref":"refs/heads/new/{number:08}","sha":"{sha}"}}"#),
            RequestBody::MovedRef { sha } => format!(r#"{{"sha":"{sha}","force":true}}"#),
            RequestBody::NewComment { commit, line } => format!(
                r#"{{"body":"Comment {number}: is *this* still needed?","commit_id":"{commit}","path":"src/a.txt","line":{line}}}"#
            ),
            RequestBody::EditedComment => format!(r#"{{"body":"Edited {number}: it is, but see *below*."}}"#),
        };
        let length = body.len();
        write!(out, "content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
            .expect("writing to memory always succeeds");
        number
    }

    fn check(&mut self, number: u64, status: u16, body: &[u8]) -> Result<()> {
        let operation = self.operation(number);
        let is_expected = match (operation.method, operation.condition) {
            ("GET", Condition::Held) => status == 200 || status == 304,
            ("POST", _) => status == 201,
            _ => status == 200,
        };
        if is_expected {
            return Ok(());
        }
        let Operation { method, path, token, .. } = operation;
        let kind = token.split('_').next().unwrap_or_default();
        let body: String = String::from_utf8_lossy(body).chars().take(300).collect();
        bail!("{method} {path} with a token of kind {kind} returned {status}: {body}")
    }

    fn receive(&mut self, number: u64, head: &[u8], (status, body): (u16, &[u8])) -> Result<()> {
        self.check(number, status, body)?;
        let operation = self.operation(number);
        let (resource, is_read) = (operation.resource, operation.method == "GET");
        if let Some(Recorder(recorded)) = &mut self.recorder {
            let (count, operation) = (self.operations.len(), &self.operations[index(number, self.operations.len())]);
            let path = if status == 304 { NOT_MODIFIED.to_owned() } else { key(operation) };
            recorded.not_modified[index(number, count)] = status == 304;
            let response = Response { status, headers: headers(head), body: body.to_vec() };
            recorded.responses.insert(path.clone(), Recording { path, request: Vec::new(), response });
        }
        if let Tags::Held(tags) = &mut self.tags
            && is_read
            && let Some(tag) = header(head, "etag")
        {
            tags.insert(resource, tag.to_owned());
        }
        Ok(())
    }
}

impl Recorded {
    /// The share of the reads that got 304.
    pub fn not_modified_share(&self) -> f64 {
        let count = self.not_modified.iter().filter(|is_not_modified| **is_not_modified).count();
        count as f64 / self.not_modified.len().max(1) as f64
    }
}
