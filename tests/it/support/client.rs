//! A client of the service under test.

use std::net::{IpAddr, Ipv4Addr};

use axum::body::Body;
use http::{Method, Request};
use http_body_util::BodyExt;
use serde_json::Value;

use super::{Response, openapi, page_links};
use plinth_api::server::HttpService;

/// Sends requests with the same headers.
#[derive(Clone)]
pub struct Client<'a> {
    http_service: &'a HttpService,
    headers: Vec<(String, String)>,
    peer: IpAddr,
}

impl<'a> Client<'a> {
    pub fn new(http_service: &'a HttpService) -> Self {
        let headers = vec![("host".into(), "plinth.test".into())];
        Self { http_service, headers, peer: IpAddr::V4(Ipv4Addr::LOCALHOST) }
    }

    /// Adds a header; a host replaces the one before.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name || name != "host");
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sends no host header, as HTTP/2 does.
    pub fn without_host(mut self) -> Self {
        self.headers.retain(|(name, _)| name != "host");
        self
    }

    pub fn from(mut self, peer: IpAddr) -> Self {
        self.peer = peer;
        self
    }

    pub async fn get(&self, path: &str) -> Response {
        self.send(Method::GET, path, "").await
    }

    pub async fn head(&self, path: &str) -> Response {
        self.send(Method::HEAD, path, "").await
    }

    pub async fn delete(&self, path: &str) -> Response {
        self.send(Method::DELETE, path, "").await
    }

    pub async fn put(&self, path: &str) -> Response {
        self.send(Method::PUT, path, "").await
    }

    pub async fn post(&self, path: &str, body: Value) -> Response {
        self.send(Method::POST, path, body.to_string()).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Response {
        self.send(Method::PATCH, path, body.to_string()).await
    }

    /// Sends any method with any body.
    pub async fn send(&self, method: Method, path: &str, body: impl Into<Body>) -> Response {
        let mut request = Request::builder().method(method.clone()).uri(path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request.body(body.into()).expect("the test's request is well formed");
        let (parts, body) = self.http_service.respond(request, self.peer).await.into_parts();
        let body = body.collect().await.expect("a response can be read").to_bytes();
        let response = Response { status: parts.status.as_u16(), headers: parts.headers, body };
        openapi::check(&method, path, &response);
        page_links::check(path, &response);
        response
    }
}
