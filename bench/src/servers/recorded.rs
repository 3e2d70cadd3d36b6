//! Responses of the service in a file, for a reference server to send.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use serde::{Deserialize, Serialize};

use crate::http::Recording;

/// Headers that hyper adds to every response by itself.
const ADDED_BY_HYPER: &[&str] = &["date", "content-length", "transfer-encoding"];

/// The key of a response with that status.
pub const NOT_MODIFIED: &str = "304";

/// One response in the file.
#[derive(Serialize, Deserialize)]
struct Entry {
    path: String,
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

pub struct RecordedResponses {
    by_path: HashMap<String, Prepared>,
    first: Prepared,
}

/// A response that only needs to be cloned.
#[derive(Clone)]
struct Prepared {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl RecordedResponses {
    pub fn write(file: &Path, recordings: &[Recording]) -> Result<()> {
        let entries: Vec<Entry> = recordings.iter().map(Entry::of).collect();
        fs::write(file, serde_json::to_vec(&entries)?).with_context(|| file.display().to_string())
    }

    pub fn read(file: &Path) -> Result<Self> {
        let bytes = fs::read(file).with_context(|| file.display().to_string())?;
        let entries: Vec<Entry> = serde_json::from_slice(&bytes).with_context(|| file.display().to_string())?;
        let first = entries.first().context("no recorded response")?.prepare()?;
        let by_path = entries.iter().map(|entry| Ok((entry.path.clone(), entry.prepare()?)));
        Ok(Self { by_path: by_path.collect::<Result<_>>()?, first })
    }

    /// The response for a method and path.
    pub fn for_request(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Response {
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        match (method, headers.get(IF_NONE_MATCH)) {
            (&Method::GET, None) => self.for_path(path),
            (&Method::GET, Some(tag)) => self.for_tag(path, tag),
            (method, _) => self.for_path(&format!("{method} {path}")),
        }
    }

    /// As [`RecordedResponses::for_path`], or the recorded 304 if the client has the response already.
    fn for_tag(&self, path: &str, tag: &HeaderValue) -> Response {
        let is_held = self.by_path.get(path).is_some_and(|prepared| prepared.headers.get(ETAG) == Some(tag));
        self.for_path(if is_held { NOT_MODIFIED } else { path })
    }

    /// The response for a path with its query; the first one for any other path, for requests that all differ.
    pub fn for_path(&self, path: &str) -> Response {
        let prepared = self.by_path.get(path).unwrap_or(&self.first);
        let mut response = Response::new(Body::from(prepared.body.clone()));
        *response.status_mut() = prepared.status;
        *response.headers_mut() = prepared.headers.clone();
        response
    }
}

impl Entry {
    fn of(Recording { path, response, .. }: &Recording) -> Self {
        let mut headers = response.headers.clone();
        headers.retain(|(name, _)| !ADDED_BY_HYPER.contains(&name.as_str()));
        let body = String::from_utf8_lossy(&response.body).into_owned();
        Self { path: path.clone(), status: response.status, headers, body }
    }

    fn prepare(&self) -> Result<Prepared> {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            headers.append(name.parse::<HeaderName>()?, HeaderValue::from_str(value)?);
        }
        Ok(Prepared { status: StatusCode::from_u16(self.status)?, headers, body: self.body.clone().into() })
    }
}
