//! Recorded requests and responses.

use std::net::SocketAddr;

use anyhow::{Context as _, Result};

use super::client::Client;
use super::request::request;
use super::response::Response;

/// A request with the response that it got.
#[derive(Clone)]
pub struct Recording {
    pub path: String,
    pub request: Vec<u8>,
    pub response: Response,
}

/// Sends a GET for each path and records the response.
pub fn record(server: SocketAddr, paths: Vec<String>) -> Result<Vec<Recording>> {
    let mut client = Client::connect(server)?;
    let recordings = paths.into_iter().map(|path| {
        let response = client.get(&path)?.expect(200).with_context(|| format!("GET {path}"))?;
        Ok(Recording { request: request("GET", &path, ""), path, response })
    });
    recordings.collect()
}
