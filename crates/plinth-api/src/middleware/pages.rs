//! The layer that gives requests of browsers to the pages. Everything else passes, so clients of the API notice nothing.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::Request;
use plinth_base::error::{Error, Result};
use plinth_store::{Dependency, InvalidationScope};

use super::forwarded::without_prefix;
use super::lifetime::Lifetime;
use super::local::LocalApi;
use super::pipeline::{Admitted, Cacheable, Inner, Outcome, layer};
use super::read_at::ReadAt;
use crate::policy::Row;
use crate::request::request_permit::RequestPermit;
use crate::routes::Matcher;

/// HTML pages, in addition to the API.
pub trait Pages: Send + Sync {
    /// Whether a request is for a page. `is_operation` finds out whether the API has an operation at its path.
    fn accepts(&self, request: &Request<Body>, is_operation: &dyn Fn() -> bool) -> bool;

    /// Responds to a request that it accepts.
    fn respond(&self, request: PageRequest) -> BoxFuture<'_, Result<PageResponse>>;

    /// The response to a request that failed before it came here, or here.
    fn error(&self, error: &Error) -> Response;
}

/// A request for a page.
pub struct PageRequest {
    pub request: Request<Body>,
    pub origin: PageOrigin,
    pub permit: Arc<RequestPermit>,
    pub api: LocalApi,
}

/// Where the request comes from.
pub use super::pipeline::Origin as PageOrigin;

/// A page.
pub struct PageResponse {
    pub row: &'static Row,
    pub response: Response,
    /// The body and whose content it is made from, where the page may be cached for the same request.
    pub cached: Option<(Bytes, InvalidationScope)>,
}

layer! {
    PagesLayer => WithPages { api: LocalApi, pages: Option<Arc<dyn Pages>>, matcher: Arc<Matcher> }
}

impl<S: Inner<Admitted>> Inner<Admitted> for WithPages<S> {
    async fn respond(&self, admitted: Admitted) -> Outcome {
        let Some(pages) = self.pages.as_deref().filter(|pages| self.accepts(*pages, &admitted.request)) else {
            return self.inner.respond(admitted).await;
        };
        self.respond_with(pages, admitted).await
    }
}

impl<S> WithPages<S> {
    fn accepts(&self, pages: &dyn Pages, request: &Request<Body>) -> bool {
        let path = request.uri().path();
        // Below the prefix is nothing but the API.
        if without_prefix(path).len() != path.len() {
            return false;
        }
        pages.accepts(request, &|| self.matcher.find(request.method(), path).is_some())
    }

    async fn respond_with(&self, pages: &dyn Pages, admitted: Admitted) -> Outcome {
        let Admitted { request, origin, permit, is_cacheable, read_at } = admitted;
        let read_at = ReadAt::or_now(read_at, &self.api.app).await.filter(|_| is_cacheable);
        let request_id = origin.request_id.clone();
        let work = pages.respond(PageRequest { request, origin, permit, api: self.api.clone() });
        let work = AssertUnwindSafe(work).catch_unwind();
        let responded = match tokio::time::timeout(self.api.app.settings.request_timeout, work).await {
            Ok(Ok(responded)) => responded,
            Ok(Err(_)) => Err(Error::internal("a page panicked")),
            Err(_) => Err(Error::Unavailable("the request took too long".into())),
        };
        match responded {
            Ok(PageResponse { row, response, cached }) => {
                let mut outcome = Outcome::new(response, Some(row));
                if let Some((body, scope)) = cached {
                    outcome.body = Some(body.into());
                    outcome.scope = scope;
                    outcome.dependency = Dependency::Content(scope);
                    outcome.cacheable = read_at.map(|ReadAt { generations, second }| Cacheable {
                        read_at: generations,
                        lifetime: Lifetime::Second(second),
                        limit_key: None,
                    });
                }
                outcome
            }
            Err(error) => {
                // Logs the cause, which the page does not show.
                Outcome::error(&error, None, &plinth_base::urls::Urls::new("", ""), &request_id);
                Outcome::new(pages.error(&error), None)
            }
        }
    }
}
