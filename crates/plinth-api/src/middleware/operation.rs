//! The innermost service: calls the handler of the endpoint, and adds what depends on its response.

use std::sync::{Arc, OnceLock};

use axum::response::Response;
use http::{HeaderMap, Method, StatusCode};

use super::finish::finish;
use super::forwarded::without_prefix;
use super::pipeline::{Authenticated, Inner, Negotiated, Outcome};
use crate::app::App;
use crate::policy::{Row, Wire};
use crate::request::conditional::preconditions;
use crate::request::context::RequestContext;
use crate::request::handler::ApiRequest;
use crate::request::request_body::RequestBody;
use crate::request::response_memory;
use crate::response::buffers::Buffers;
use crate::routes::Route;
use plinth_base::error::{Error, Result};
use plinth_core::access::check_kind;
use plinth_core::tokens::Principal;
use plinth_store::{Dependency, InvalidationScope};

/// What git shows to a caller without a credential, whether the repository is private or absent.
const GIT_CREDENTIAL_NEEDED: Error = Error::Unauthenticated("Sign in with a token as the password.");

pub struct Operations {
    pub app: App,
}

impl Inner<Authenticated> for Operations {
    async fn respond(&self, Authenticated { request, principal, generations, .. }: Authenticated) -> Outcome {
        let Negotiated { parts, body, origin, permit, route, version, media, .. } = request;
        let row = route.as_ref().map(|(route, _)| route.row);
        let (urls, request_id, caller) = (origin.urls.clone(), origin.request_id, principal.clone());
        let everything = InvalidationScope::Everything;
        let (mut scope, mut dependency) = (everything, Dependency::Content(everything));
        let outcome = match route {
            None => Err(Error::NotFound),
            Some((route, params)) => {
                let context = Arc::new(RequestContext {
                    row: route.row,
                    params,
                    principal,
                    generations,
                    urls: origin.urls,
                    media,
                    version,
                    path: without_prefix(parts.uri.path()).to_owned(),
                    query: parts.uri.query().unwrap_or_default().to_owned(),
                    peer: origin.client,
                    permit,
                    entity_tag_key: self.app.entity_tag_key,
                    scope: OnceLock::new(),
                    dependency: OnceLock::new(),
                });
                let handled = self.call_handler(&route, (parts.method, parts.headers), body, context.clone()).await;
                (scope, dependency) = (context.scope(), context.dependency());
                handled
            }
        };
        match outcome {
            Ok((response, body)) => Outcome { body, scope, dependency, ..Outcome::new(response, row) },
            Err(error) => Outcome::error(as_reported(&error, row, &caller), row, &urls, &request_id),
        }
    }
}

impl Operations {
    /// Rejects the wrong kind of token before anything is looked up, then calls the handler. The second part of the result
    /// is the body, where it is in memory as a whole.
    async fn call_handler(
        &self,
        route: &Route,
        (method, headers): (Method, HeaderMap),
        body: axum::body::Body,
        context: Arc<RequestContext>,
    ) -> Result<(Response, Option<Buffers>)> {
        check_kind(&route.row.rule, &context.principal)?;
        let method = if method == Method::HEAD { Method::GET } else { method };
        // Only reading is conditional.
        let preconditions = if method == Method::GET { preconditions(&headers) } else { HeaderMap::new() };
        let body = match route.row.wire {
            Wire::Json => RequestBody::wrap(body, context.permit.clone(), self.app.settings.request_timeout),
            // These handlers know how long each of theirs may take.
            Wire::Git | Wire::Upload => body,
        };
        let request = ApiRequest::new(context.clone(), headers, body);
        let handled = route.call(request, self.app.clone()).await?;
        let whole = handled.facts.as_ref().and_then(|facts| facts.body.clone());
        let response = finish(handled, &context, &method, &preconditions)?;
        let sent = whole.as_ref().filter(|_| response.status() != StatusCode::NOT_MODIFIED);
        Ok((response_memory::count(&self.app, &context, response, sent).await?, whole))
    }
}

/// Git asks for a password only after a 401, so a caller without a credential gets one for what is absent, too.
fn as_reported<'a>(error: &'a Error, row: Option<&'static Row>, principal: &Principal) -> &'a Error {
    let by_git = row.is_some_and(|row| row.wire == Wire::Git);
    match (error, principal) {
        (Error::NotFound | Error::Unauthenticated(_), Principal::Anonymous) if by_git => &GIT_CREDENTIAL_NEEDED,
        _ => error,
    }
}
