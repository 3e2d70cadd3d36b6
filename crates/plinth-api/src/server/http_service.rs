//! The service behind every connection: the API, encoded as the client accepts it.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use http::header::{ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, ETAG};
use http::{HeaderValue, Request};
use tower::ServiceExt;
use tower_http::compression::Compression;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};

use crate::app::App;
use crate::middleware::{ApiService, Pages};
use crate::router;
use plinth_base::error::Error;

/// The request gets no response, and its connection is closed.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the connection is closed without a response")]
pub struct Aborted;

/// Takes every request instead of the API. Test servers pass most of them on to an API, and respond to the others.
pub trait Intercept: Send + Sync {
    fn respond(&self, request: Request<Body>, peer: IpAddr) -> BoxFuture<'_, Result<Response, Aborted>>;
}

/// The API, behind the encoding that the client accepts.
#[derive(Clone)]
pub struct HttpService {
    api: Arc<ApiService>,
    intercept: Option<Arc<dyn Intercept>>,
}

impl HttpService {
    /// The API alone.
    pub fn new(app: App) -> Self {
        Self { api: Arc::new(ApiService::new(app, router::matcher(), None)), intercept: None }
    }

    /// The API, and pages for browsers.
    pub fn with_pages(app: App, pages: Arc<dyn Pages>) -> Self {
        Self { api: Arc::new(ApiService::new(app, router::matcher(), Some(pages))), intercept: None }
    }

    /// The same service, behind `intercept`.
    #[must_use]
    pub fn intercepted(self, intercept: Arc<dyn Intercept>) -> Self {
        Self { intercept: Some(intercept), ..self }
    }

    /// Responds to a request that came from `peer` over a connection.
    pub(super) async fn respond_or_abort(&self, request: Request<Body>, peer: IpAddr) -> Result<Response, Aborted> {
        match &self.intercept {
            None => Ok(self.respond(request, peer).await),
            Some(intercept) => intercept.respond(request, peer).await,
        }
    }

    /// Responds to a request that came from `peer`.
    pub async fn respond(&self, request: Request<Body>, peer: IpAddr) -> Response {
        if !self.api.compresses() || !accepts_gzip(&request) {
            return self.api.respond(request, peer).await;
        }
        let api = self.api.clone();
        let inner = tower::service_fn(move |request| {
            let api = api.clone();
            async move { Ok::<_, std::convert::Infallible>(api.respond(request, peer).await) }
        });
        // Packs are compressed already.
        let worth_it = DefaultPredicate::new().and(NotForContentType::const_new("application/x-git-"));
        let Ok(response) = Compression::new(inner).compress_when(worth_it).oneshot(request).await;
        let mut response = response.map(Body::new);
        if response.headers().contains_key(CONTENT_ENCODING) {
            weaken_tag(&mut response);
        }
        response
    }

    /// Responds on a connection beyond the limit: health, and 503 to everything else.
    pub async fn respond_overloaded(&self, request: Request<Body>) -> Response {
        let mut response = self.api.respond_overloaded(request).await;
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        response
    }

    /// Responds to a head that is no request.
    pub fn respond_malformed(&self, error: &Error) -> Response {
        let mut response = self.api.respond_malformed(error);
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        response
    }
}

fn accepts_gzip(request: &Request<Body>) -> bool {
    let values = request.headers().get_all(ACCEPT_ENCODING).iter();
    values.filter_map(|value| value.to_str().ok()).any(|value| value.contains("gzip"))
}

/// Encoded bytes are not the very same bytes, so their tag is only a weak one.
fn weaken_tag(response: &mut Response) {
    let Some(tag) = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok()) else { return };
    if let Ok(weak) = HeaderValue::try_from(format!("W/{tag}")) {
        response.headers_mut().insert(ETAG, weak);
    }
}
