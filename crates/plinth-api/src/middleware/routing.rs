//! The layer that finds the endpoint of a request, and with it the time that it may take. A panic or a timeout further in
//! becomes an error response.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;

use futures_util::FutureExt;
use http::Method;
use plinth_base::error::Error;

use super::forwarded::without_prefix;
use super::pipeline::{Admitted, Inner, Outcome, Routed, layer};
use crate::app::App;
use crate::policy::Wire;
use crate::routes::Matcher;

layer! {
    RoutingLayer => Routing { app: App, matcher: Arc<Matcher> }
}

impl<S: Inner<Routed>> Inner<Admitted> for Routing<S> {
    async fn respond(&self, admitted: Admitted) -> Outcome {
        let method = admitted.request.method();
        let method = if method == Method::HEAD { &Method::GET } else { method };
        let found = self.matcher.find(method, without_prefix(admitted.request.uri().path()));
        let route = found.map(|(route, params)| (route.clone(), params));
        let (urls, request_id) = (admitted.origin.urls.clone(), admitted.origin.request_id.clone());
        let request = Routed { admitted, route };
        let row = request.row();
        let timeout = match row.map_or(Wire::Json, |row| row.wire) {
            Wire::Json => self.app.settings.request_timeout,
            Wire::Git | Wire::Upload => self.app.settings.git.timeout,
        };
        // Pinned here, because it is large and would be moved twice.
        let work = pin!(self.inner.respond(request));
        let work = AssertUnwindSafe(work).catch_unwind();
        match tokio::time::timeout(timeout, work).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Outcome::error(&Error::internal("a handler panicked"), row, &urls, &request_id),
            Err(_) => {
                let error = Error::Unavailable("the request took too long".into());
                Outcome::error(&error, row, &urls, &request_id)
            }
        }
    }
}
