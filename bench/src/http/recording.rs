//! Recorded requests and responses.

use std::net::SocketAddr;

use anyhow::{Context as _, Result};

use super::client::Client;
use super::request::{page_request, request};
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
    record_requests(server, paths, |path| request("GET", path, ""))
}

/// As [`record`], with the requests of a browser.
pub fn record_pages(server: SocketAddr, paths: Vec<String>) -> Result<Vec<Recording>> {
    record_requests(server, paths, page_request)
}

fn record_requests(
    server: SocketAddr,
    paths: Vec<String>,
    request: impl Fn(&str) -> Vec<u8>,
) -> Result<Vec<Recording>> {
    let mut client = Client::connect(server)?;
    let recordings = paths.into_iter().map(|path| {
        let request = request(&path);
        let response = client.send_raw(&request)?.expect(200).with_context(|| format!("GET {path}"))?;
        Ok(Recording { request, path, response })
    });
    recordings.collect()
}
