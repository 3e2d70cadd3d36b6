//! Responses to requests that are not admitted: beyond the limit of connections, or not even requests.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::Response;
use http::{Method, Request};

use super::finish::without_body;
use super::service::{ApiService, error_outcome};
use crate::health;
use crate::response::headers;
use plinth_base::error::Error;
use plinth_base::urls::Urls;

/// Nothing is known about where the request came from or went to.
fn nowhere() -> Urls {
    Urls::new("", "")
}

impl ApiService {
    /// Responds on a connection beyond the limit: health checks, and 503 to everything else.
    pub async fn answer_overloaded(&self, request: Request<Body>) -> Response {
        let started = Instant::now();
        let request_id = self.request_ids.next();
        let health = health::answer(&self.app, request.method(), request.uri().path()).await;
        let overloaded = || {
            let error = Error::Unavailable("too many connections at once".into());
            error_outcome(&error, None, &self.own_urls(), &request_id).response
        };
        let mut response = health.unwrap_or_else(overloaded);
        headers::add_common(response.headers_mut(), &request_id);
        self.app.metrics.observe("none", response.status(), started.elapsed());
        if request.method() == Method::HEAD { without_body(response) } else { response }
    }

    /// Responds to a head that is no request.
    pub fn answer_malformed(&self, error: &Error) -> Response {
        let request_id = self.request_ids.next();
        let mut response = error_outcome(error, None, &self.own_urls(), &request_id).response;
        headers::add_common(response.headers_mut(), &request_id);
        self.app.metrics.observe("none", response.status(), Duration::ZERO);
        response
    }

    /// The public URL, where one is set.
    fn own_urls(&self) -> Urls {
        self.app.settings.public_url.as_ref().map_or_else(nowhere, |url| Urls::new(url, ""))
    }
}
