//! By what a cached response is found.

use std::fmt;
use std::net::IpAddr;

use axum::body::Body;
use http::{Method, Request};

/// Longer requests are rare, and not worth the memory.
const KEY_BYTES_MAX: usize = 4096;

/// A whole request: everything that its response depends on, its token included.
#[derive(PartialEq, Eq, Hash)]
pub struct Key(Vec<u8>);

impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[redacted]")
    }
}

impl Key {
    pub fn of(request: &Request<Body>, peer: IpAddr) -> Option<Self> {
        if request.method() != Method::GET {
            return None;
        }
        let mut key = Vec::with_capacity(512);
        match peer {
            IpAddr::V4(address) => key.extend_from_slice(&address.octets()),
            IpAddr::V6(address) => key.extend_from_slice(&address.octets()),
        }
        let target = request.uri();
        let host = target.authority().map_or("", |authority| authority.as_str());
        let path = target.path_and_query().map_or("", |path| path.as_str());
        let lines = [("", host.as_bytes()), ("", path.as_bytes())].into_iter();
        let headers = request.headers().iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        for (name, value) in lines.chain(headers) {
            // No header has a line feed in it, so two requests never look like one.
            key.extend_from_slice(name.as_bytes());
            key.push(b':');
            key.extend_from_slice(value);
            key.push(b'\n');
        }
        (key.len() <= KEY_BYTES_MAX).then_some(Self(key))
    }

    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// The buffer was filled piece by piece and has unused capacity.
    pub fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn key(path: &str, headers: &[(&str, &str)]) -> Key {
        let mut request = Request::get(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Key::of(&request.body(Body::empty()).expect("a request"), HERE).expect("short enough")
    }

    #[test]
    fn requests_that_differ_have_different_keys() {
        let one = key("/a?b=c", &[("accept", "x"), ("authorization", "y")]);
        assert_eq!(one, key("/a?b=c", &[("accept", "x"), ("authorization", "y")]));
        for other in [
            key("/a?b=d", &[("accept", "x"), ("authorization", "y")]),
            key("/a?b=c", &[("accept", "z"), ("authorization", "y")]),
            key("/a?b=c", &[("accept", "x"), ("authorization", "z")]),
            key("/a?b=c", &[("accept", "x")]),
            key("/a?b=c", &[("accept", "x"), ("authorization", "y"), ("host", "z")]),
        ] {
            assert_ne!(one, other);
        }
        let written = Request::post("/a").body(Body::empty()).expect("a request");
        assert_eq!(Key::of(&written, HERE), None);
        let long = Request::get("/a").header("x", "y".repeat(KEY_BYTES_MAX)).body(Body::empty()).expect("a request");
        assert_eq!(Key::of(&long, HERE), None);
    }
}
