//! A complete response.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    /// In order, with names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    /// Fails unless the response has this status.
    pub fn expect(self, status: u16) -> Result<Self> {
        if self.status == status {
            return Ok(self);
        }
        bail!("status {} instead of {status}: {}", self.status, String::from_utf8_lossy(&self.body))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.body).context("the response is not JSON")
    }
}
