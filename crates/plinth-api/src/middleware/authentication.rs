//! The layer that turns the `Authorization` header into a principal.

use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use plinth_base::error::{Error, Result};
use plinth_core::Core;
use plinth_core::access::{BAD_CREDENTIALS, bad_credential, find_app, find_token};
use plinth_core::rate_limit::{LimitKey, RateLimit};
use plinth_core::tokens::Principal;
use plinth_store::Generations;

use super::pipeline::{Authenticated, Inner, Negotiated, Outcome, layer};
use super::read_at::ReadAt;
use crate::app::App;
use crate::response::headers;

layer! {
    AuthenticationLayer => Authentication { app: App }
}

impl<S: Inner<Authenticated>> Inner<Negotiated> for Authentication<S> {
    async fn respond(&self, request: Negotiated) -> Outcome {
        let may_cache = request.is_cacheable && request.row().is_some_and(|row| row.caching.response);
        // Before anything is read from the store: whatever changes afterwards makes them outdated.
        let read_at = ReadAt::or_now(request.read_at, &self.app).await;
        let generations = read_at.map(|read_at| read_at.generations);
        match authenticate(&self.app, &request.parts.headers, generations).await {
            Ok(principal) => {
                let read_at = read_at.filter(|_| may_cache);
                self.inner.respond(Authenticated { request, principal, generations, read_at }).await
            }
            Err(error) => {
                let error = bad_credential(request.row().map(|row| &row.rule), error);
                let rate_limit = self.count_rejected(&error, request.origin.client).await;
                reject(&error, rate_limit, &request)
            }
        }
    }
}

impl<S> Authentication<S> {
    /// A bad credential counts against the rate limit of the address; an app's key has none.
    async fn count_rejected(&self, error: &Error, client: IpAddr) -> Option<RateLimit> {
        if !matches!(error, Error::Unauthenticated(BAD_CREDENTIALS)) {
            return None;
        }
        Some(self.app.limiter.count(LimitKey::Address(client), self.app.clock.now()).await.0)
    }
}

fn reject(error: &Error, rate_limit: Option<RateLimit>, request: &Negotiated) -> Outcome {
    let origin = &request.origin;
    let mut outcome = Outcome::error(error, request.row(), &origin.urls, &origin.request_id);
    let headers = outcome.response.headers_mut();
    if let Some(rate_limit) = rate_limit {
        headers::add_rate_limit(headers, rate_limit);
    }
    headers::add_version(headers, request.version);
    outcome
}

/// What the header says, before anything is looked up.
enum Presented {
    Token(String),
    JsonWebToken(String),
}

/// The principal that the request acts as. A bad credential is an error even where none is needed.
///
/// `generations` are from before this.
pub async fn authenticate(
    core: &Core,
    headers: &HeaderMap,
    generations: Option<Generations>,
) -> Result<Arc<Principal>> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(Arc::new(Principal::Anonymous)) };
    if values.next().is_some() {
        return Err(Error::Unauthenticated(BAD_CREDENTIALS));
    }
    let text = value.to_str().map_err(|_| Error::Unauthenticated(BAD_CREDENTIALS))?;
    match parse(text).ok_or(Error::Unauthenticated(BAD_CREDENTIALS))? {
        Presented::Token(token) => find_token(core, &token, generations).await,
        Presented::JsonWebToken(token) => Box::pin(find_app(core, &token)).await.map(Arc::new),
    }
}

/// The token or JSON web token in the header, whether it is valid or not.
pub fn presented_token(headers: &HeaderMap) -> Option<String> {
    match parse(headers.get(AUTHORIZATION)?.to_str().ok()?)? {
        Presented::Token(token) | Presented::JsonWebToken(token) => Some(token),
    }
}

fn parse(text: &str) -> Option<Presented> {
    let (scheme, rest) = text.trim().split_once(' ')?;
    let rest = rest.trim();
    match scheme.to_ascii_lowercase().as_str() {
        "bearer" if is_json_web_token(rest) => Some(Presented::JsonWebToken(rest.to_owned())),
        "bearer" => Some(Presented::Token(rest.to_owned())),
        // A JSON web token is only taken as a bearer token.
        "token" if is_json_web_token(rest) => None,
        "token" => Some(Presented::Token(rest.to_owned())),
        "basic" => basic_token(rest).map(Presented::Token),
        _ => None,
    }
}

fn is_json_web_token(text: &str) -> bool {
    text.starts_with("eyJ") && text.split('.').count() == 3
}

/// The token as password; some clients send it as user name with a fixed or empty password.
fn basic_token(encoded: &str) -> Option<String> {
    let decoded = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    let (user, password) = decoded.split_once(':')?;
    let token = if password.is_empty() || password == "x-oauth-basic" { user } else { password };
    (!is_json_web_token(token)).then(|| token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(header: &str) -> Option<String> {
        match parse(header)? {
            Presented::Token(token) => Some(token),
            Presented::JsonWebToken(token) => Some(format!("jwt {token}")),
        }
    }

    #[test]
    fn schemes_are_read_in_any_case_and_web_tokens_only_as_bearer() {
        let basic = |text: &str| format!("Basic {}", STANDARD.encode(text));
        for (header, expected) in [
            ("Bearer ghp_a".to_owned(), Some("ghp_a")),
            ("bearer ghp_a".to_owned(), Some("ghp_a")),
            ("token ghp_a".to_owned(), Some("ghp_a")),
            ("TOKEN  ghp_a ".to_owned(), Some("ghp_a")),
            (basic("x-access-token:ghs_b"), Some("ghs_b")),
            (basic("ghp_c:x-oauth-basic"), Some("ghp_c")),
            (basic("ghp_c:"), Some("ghp_c")),
            ("Bearer eyJa.b.c".to_owned(), Some("jwt eyJa.b.c")),
            ("token eyJa.b.c".to_owned(), None),
            (basic("x:eyJa.b.c"), None),
            ("Digest a".to_owned(), None),
            ("ghp_a".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(token(&header).as_deref(), expected, "{header}");
        }
    }
}
