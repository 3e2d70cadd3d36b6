//! A response of the service under test.

use bytes::Bytes;
use http::HeaderMap;
use serde_json::Value;

/// A complete response.
#[derive(Debug, Clone)]
pub struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Response {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("not JSON ({error}): {}", String::from_utf8_lossy(&self.body)))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("our headers are text"))
    }

    /// The `message` of an error.
    pub fn message(&self) -> String {
        self.json()["message"].as_str().unwrap_or_default().to_owned()
    }

    /// Checks the status, and shows the whole body if it differs.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        self
    }

    /// Everything except headers that differ between any two requests.
    pub fn comparable(&self) -> (u16, Vec<(String, String)>, Bytes) {
        const ALWAYS_DIFFERENT: &[&str] = &["x-github-request-id", "x-service-request-id", "date"];
        let headers = self.headers.iter().filter(|(name, _)| !ALWAYS_DIFFERENT.contains(&name.as_str()));
        let headers = headers.map(|(name, value)| (name.to_string(), format!("{value:?}"))).collect();
        (self.status, headers, self.body.clone())
    }
}

/// Status line and pretty body, for snapshots.
impl std::fmt::Display for Response {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(out, "{}", self.status)?;
        match serde_json::from_slice::<Value>(&self.body) {
            Ok(json) => write!(out, "{}", serde_json::to_string_pretty(&json).expect("JSON prints")),
            Err(_) => write!(out, "{}", String::from_utf8_lossy(&self.body)),
        }
    }
}
