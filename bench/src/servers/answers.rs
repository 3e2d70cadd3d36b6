//! Answers of the service, kept to be sent again to the byte.

use std::collections::HashMap;
use std::path::Path;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::{Value, json};

use crate::Result;
use crate::load::Exchange;

/// What hyper adds to every answer by itself.
const ADDED: &[&str] = &["date", "content-length", "transfer-encoding"];

pub struct Answers {
    by_path: HashMap<String, Answer>,
    first: Answer,
}

#[derive(Clone)]
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Answers {
    /// Writes down what the service answered.
    pub fn write(file: &Path, exchanges: &[Exchange]) -> Result<()> {
        let kept: Vec<Value> = exchanges
            .iter()
            .map(|Exchange { path, reply, .. }| {
                let headers: Vec<_> =
                    reply.headers.iter().filter(|(name, _)| !ADDED.contains(&name.as_str())).collect();
                let body = String::from_utf8_lossy(&reply.body);
                json!({ "path": path, "status": reply.status, "headers": headers, "body": body })
            })
            .collect();
        std::fs::write(file, Value::from(kept).to_string()).map_err(|error| format!("{}: {error}", file.display()))
    }

    pub fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let kept: Vec<Value> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let answers = kept.iter().map(|value| Answer::read(value).ok_or("this is not a file of answers"));
        let answers: Vec<Answer> = answers.collect::<std::result::Result<_, _>>()?;
        let first = answers.first().ok_or("there are no answers")?.clone();
        let paths = kept.iter().map(|value| value["path"].as_str().unwrap_or_default().to_owned());
        Ok(Self { by_path: paths.zip(answers).collect(), first })
    }

    /// The answer for a path with its query, or the first one where requests are never the same twice.
    pub fn for_path(&self, path: &str) -> Response {
        let answer = self.by_path.get(path).unwrap_or(&self.first);
        let mut response = Response::new(Body::from(answer.body.clone()));
        *response.status_mut() = answer.status;
        *response.headers_mut() = answer.headers.clone();
        response
    }
}

impl Answer {
    fn read(value: &Value) -> Option<Self> {
        let mut headers = HeaderMap::new();
        for header in value["headers"].as_array()? {
            let name: HeaderName = header[0].as_str()?.parse().ok()?;
            headers.append(name, HeaderValue::from_str(header[1].as_str()?).ok()?);
        }
        let status = StatusCode::from_u16(u16::try_from(value["status"].as_u64()?).ok()?).ok()?;
        Some(Self { status, headers, body: value["body"].as_str()?.to_owned().into() })
    }
}
