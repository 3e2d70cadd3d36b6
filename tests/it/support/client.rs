//! Someone who makes requests.

use std::net::{IpAddr, Ipv4Addr};

use axum::body::Body;
use http::{Method, Request};
use http_body_util::BodyExt;
use serde_json::Value;

use super::{Answer, described};
use plinth_api::server::HttpService;

/// Headers that go with every request of one person.
#[derive(Clone)]
pub struct Client<'a> {
    door: &'a HttpService,
    headers: Vec<(String, String)>,
    peer: IpAddr,
}

impl<'a> Client<'a> {
    pub fn new(door: &'a HttpService) -> Self {
        let headers = vec![("host".into(), "plinth.test".into())];
        Self { door, headers, peer: IpAddr::V4(Ipv4Addr::LOCALHOST) }
    }

    /// The same person with one more header; a host replaces the one before.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name || name != "host");
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same person over a connection that names the host elsewhere.
    pub fn without_host(mut self) -> Self {
        self.headers.retain(|(name, _)| name != "host");
        self
    }

    pub fn from(mut self, peer: IpAddr) -> Self {
        self.peer = peer;
        self
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, "").await
    }

    pub async fn head(&self, path: &str) -> Answer {
        self.send(Method::HEAD, path, "").await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, "").await
    }

    pub async fn put(&self, path: &str) -> Answer {
        self.send(Method::PUT, path, "").await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, body.to_string()).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, path, body.to_string()).await
    }

    /// Any method with any body.
    pub async fn send(&self, method: Method, path: &str, body: impl Into<Body>) -> Answer {
        let mut request = Request::builder().method(method.clone()).uri(path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request.body(body.into()).expect("the test's request is well formed");
        let (parts, body) = self.door.respond(request, self.peer).await.into_parts();
        let body = body.collect().await.expect("an answer can be read").to_bytes();
        let answer = Answer { status: parts.status.as_u16(), headers: parts.headers, body };
        described::check(&method, path, &answer);
        answer
    }
}
