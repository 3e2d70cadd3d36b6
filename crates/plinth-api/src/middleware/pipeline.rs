//! What travels through the layers: each one learns something about a request and passes it on in the next type, so that
//! the compiler knows what a layer can rely on.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use http::Request;
use http::request::Parts;
use plinth_base::error::Error;
use plinth_base::urls::Urls;
use plinth_core::access::PathParams;
use plinth_core::rate_limit::LimitKey;
use plinth_core::tokens::Principal;
use plinth_store::{Dependency, Generations, InvalidationScope};

use super::lifetime::Lifetime;
use super::read_at::ReadAt;
use crate::negotiation::{Media, Version};
use crate::policy::Row;
use crate::request::request_permit::RequestPermit;
use crate::response::buffers::Buffers;
use crate::response::error_response::error_response;
use crate::routes::Route;

/// A request as it comes from a connection.
pub struct Incoming {
    pub request: Request<Body>,
    pub peer: IpAddr,
    pub request_id: Arc<str>,
    /// Whether its response may be cached, as far as the request decides.
    pub is_cacheable: bool,
    /// From before anything was read, if the response cache has asked for it.
    pub read_at: Option<ReadAt>,
}

/// A request that may be worked on.
pub struct Admitted {
    pub request: Request<Body>,
    pub origin: Origin,
    pub permit: Arc<RequestPermit>,
    pub is_cacheable: bool,
    pub read_at: Option<ReadAt>,
}

/// Where a request comes from, and what error responses need.
pub struct Origin {
    pub client: IpAddr,
    pub urls: Urls,
    pub request_id: Arc<str>,
}

/// A request for an operation, if there is one at its path.
pub struct Routed {
    pub admitted: Admitted,
    pub route: Option<(Route, PathParams)>,
}

impl Routed {
    pub fn row(&self) -> Option<&'static Row> {
        self.route.as_ref().map(|(route, _)| route.row)
    }
}

/// A request whose head is good.
pub struct Negotiated {
    pub parts: Parts,
    pub body: Body,
    pub origin: Origin,
    pub permit: Arc<RequestPermit>,
    pub is_cacheable: bool,
    pub read_at: Option<ReadAt>,
    pub route: Option<(Route, PathParams)>,
    pub version: Version,
    pub media: Media,
}

impl Negotiated {
    pub fn row(&self) -> Option<&'static Row> {
        self.route.as_ref().map(|(route, _)| route.row)
    }
}

/// A request of a known principal.
pub struct Authenticated {
    pub request: Negotiated,
    pub principal: Arc<Principal>,
    /// The generations of the store from before anything was read.
    pub generations: Option<Generations>,
    /// Set where the response may be cached.
    pub read_at: Option<ReadAt>,
}

/// A response on its way back.
pub struct Outcome {
    pub response: Response,
    pub row: Option<&'static Row>,
    /// The body, where it is in memory as a whole.
    pub body: Option<Buffers>,
    /// Set where the response may be cached.
    pub cacheable: Option<Cacheable>,
    /// Whose content the response is made from.
    pub scope: InvalidationScope,
    /// What part of it.
    pub dependency: Dependency,
}

/// What the response cache needs besides the response.
pub struct Cacheable {
    pub read_at: Generations,
    pub lifetime: Lifetime,
    pub limit_key: Option<LimitKey>,
}

impl Outcome {
    pub fn new(response: Response, row: Option<&'static Row>) -> Self {
        let scope = InvalidationScope::Everything;
        Self { response, row, body: None, cacheable: None, scope, dependency: Dependency::Content(scope) }
    }

    /// An error response. The cause of an internal error goes to the log and nowhere else.
    pub fn error(error: &Error, row: Option<&'static Row>, urls: &Urls, request_id: &str) -> Self {
        match error {
            Error::Internal(cause) => tracing::error!(%request_id, %cause, "a request failed"),
            Error::Unavailable(why) => tracing::warn!(%request_id, why, "a request was rejected"),
            _ => {}
        }
        Self::new(error_response(error, row, urls), row)
    }
}

/// A service of the stack, for one type of request. Unlike `tower::Service` it borrows itself and has an unnamed future, so
/// that all services of the stack are one future, in one allocation, which the compiler can optimize as a whole.
pub trait Inner<R>: Send + Sync {
    fn respond(&self, request: R) -> impl Future<Output = Outcome> + Send;
}

/// Declares a layer and its service. The service implements [`Inner`] for the request that it takes, and calls `inner` with
/// the next one.
macro_rules! layer {
    ($(#[$doc:meta])* $layer:ident => $service:ident { $($field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $layer {
            $(pub $field: $type,)*
        }

        pub struct $service<S> {
            $($field: $type,)*
            inner: S,
        }

        impl<S> tower::Layer<S> for $layer {
            type Service = $service<S>;

            fn layer(&self, inner: S) -> $service<S> {
                $service { $($field: self.$field.clone(),)* inner }
            }
        }
    };
}
pub(super) use layer;
