//! The API as one service: the layers in the order in which a request passes them.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::{Method, Request};
use plinth_base::error::Error;
use plinth_base::urls::Urls;
use tower::ServiceBuilder;

use super::admission::{Admission, AdmissionLayer};
use super::authentication::{Authentication, AuthenticationLayer};
use super::cached::{Cached, ResponseCacheLayer};
use super::finish::without_body;
use super::head::{Head, HeadLayer};
use super::local::LocalApi;
use super::observation::{Observation, ObservationLayer};
use super::operation::Operations;
use super::pages::{Pages, PagesLayer, WithPages};
use super::pipeline::{Incoming, Inner, Outcome};
use super::rate_limit::{RateLimitLayer, RateLimited};
use super::request_id::RequestIds;
use super::response_cache::ResponseCache;
use super::routing::{Routing, RoutingLayer};
use crate::app::App;
use crate::app::permits::Permits;
use crate::health;
use crate::response::headers;
use crate::routes::Matcher;

type Stack = Observation<Cached<Admission<WithPages<Routing<Head<Authentication<RateLimited<Operations>>>>>>>>;

/// Responds to requests.
pub struct ApiService {
    app: App,
    request_ids: RequestIds,
    stack: Stack,
}

impl ApiService {
    /// Without `pages` there is only the API.
    pub fn new(app: App, matcher: Arc<Matcher>, pages: Option<Arc<dyn Pages>>) -> Self {
        let settings = &app.settings;
        let permits = Arc::new(Permits::new(settings.requests_max, settings.requests_per_caller_max));
        let (cache_bytes, admission) = (settings.whole_response_bytes(), settings.response_cache_admission);
        let cache = Arc::new(ResponseCache::new(app.generation_table().clone(), cache_bytes, admission));
        let api = LocalApi { app: app.clone(), matcher: matcher.clone() };
        let stack = ServiceBuilder::new()
            .layer(ObservationLayer { app: app.clone() })
            .layer(ResponseCacheLayer { app: app.clone(), cache })
            .layer(AdmissionLayer { app: app.clone(), permits })
            .layer(PagesLayer { api, pages, matcher: matcher.clone() })
            .layer(RoutingLayer { app: app.clone(), matcher })
            .layer(HeadLayer {})
            .layer(AuthenticationLayer { app: app.clone() })
            .layer(RateLimitLayer { app: app.clone() })
            .service(Operations { app: app.clone() });
        Self { app, request_ids: RequestIds::new(), stack }
    }

    /// Whether responses are compressed for clients that accept it.
    pub fn compresses(&self) -> bool {
        self.app.settings.compression
    }

    /// Responds to one request; nothing that happens inside can end the connection or the process.
    pub async fn respond(&self, request: Request<Body>, peer: IpAddr) -> Response {
        let request_id = self.request_ids.next().into();
        let incoming = Incoming { request, peer, request_id, is_cacheable: false, read_at: None };
        // The box comes first, so that the future is written into it and not moved: it has ten kilobytes, most of them unused.
        let outcome = Box::write(Box::new_uninit(), self.stack.respond(incoming));
        let outcome: BoxFuture<'_, Outcome> = Box::into_pin(outcome);
        outcome.await.response
    }

    /// Responds on a connection beyond the limit: health checks, and 503 to everything else.
    pub async fn respond_overloaded(&self, request: Request<Body>) -> Response {
        let started = Instant::now();
        let request_id = self.request_ids.next();
        let health = health::respond(&self.app, request.method(), request.uri().path()).await;
        let overloaded = || {
            let error = Error::Unavailable("too many connections at once".into());
            Outcome::error(&error, None, &self.own_urls(), &request_id).response
        };
        let mut response = health.unwrap_or_else(overloaded);
        headers::add_common(response.headers_mut(), &request_id);
        self.app.metrics.observe("none", response.status(), started.elapsed());
        if request.method() == Method::HEAD { without_body(response) } else { response }
    }

    /// Responds to a head that is no request.
    pub fn respond_malformed(&self, error: &Error) -> Response {
        let request_id = self.request_ids.next();
        let mut response = Outcome::error(error, None, &self.own_urls(), &request_id).response;
        headers::add_common(response.headers_mut(), &request_id);
        self.app.metrics.observe("none", response.status(), Duration::ZERO);
        response
    }

    /// The public URL, where one is set; nothing else is known before a request is read.
    fn own_urls(&self) -> Urls {
        let public_url = self.app.settings.public_url.as_deref();
        Urls::new(public_url.unwrap_or_default(), "")
    }
}
