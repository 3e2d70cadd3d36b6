//! Responses to browsers: pages, redirects and files, each with the headers that keep it harmless.

use axum::body::{Body, Bytes};
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY, SET_COOKIE};
use http::{HeaderName, HeaderValue, StatusCode};
use maud::Markup;
use plinth_base::error::Error;

/// Scripts and styles only from the service's own files; images of comments may be anywhere, but not without encryption.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:; \
                           connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// For files: nothing is loaded, and nothing runs even if a browser takes the file for a page.
const FILE_POLICY: &str =
    "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";
const HTML: &str = "text/html; charset=utf-8";
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// What a page handler returns.
pub enum WebResponse {
    /// A page that may be cached for the same request.
    Page(Markup),
    /// A page that is made for this request only.
    FreshPage(Markup),
    /// A page that reports a problem with what was sent.
    Problem(StatusCode, Markup),
    /// Another page, after a form. Relative to this service.
    Redirect(String),
    RedirectWithCookies {
        to: String,
        cookies: Vec<String>,
    },
    /// A page that sets a cookie.
    PageWithCookie(Markup, String),
    File {
        content_type: &'static str,
        body: Bytes,
        caching: &'static str,
    },
}

impl WebResponse {
    /// The whole body, if the response may be cached.
    pub fn into_response(self) -> (Response, Option<Bytes>) {
        match self {
            WebResponse::Page(markup) => {
                let body = Bytes::from(markup.into_string());
                (page(StatusCode::OK, body.clone()), Some(body))
            }
            WebResponse::FreshPage(markup) => (page(StatusCode::OK, markup.into_string().into()), None),
            WebResponse::Problem(status, markup) => (page(status, markup.into_string().into()), None),
            WebResponse::Redirect(to) => (redirect(&to), None),
            WebResponse::RedirectWithCookies { to, cookies } => {
                (cookies.iter().fold(redirect(&to), |response, cookie| with_cookie(response, cookie)), None)
            }
            WebResponse::PageWithCookie(markup, cookie) => {
                (with_cookie(page(StatusCode::OK, markup.into_string().into()), &cookie), None)
            }
            WebResponse::File { content_type, body, caching } => (file(content_type, body, caching), None),
        }
    }
}

/// The status of a page about an error.
pub fn status_of(error: &Error) -> StatusCode {
    match error {
        Error::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
        Error::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        Error::BodyTooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
        Error::Forbidden(_) | Error::RateLimited(_) | Error::SecondaryLimited { .. } => StatusCode::FORBIDDEN,
        Error::BadRequest(_) => StatusCode::BAD_REQUEST,
        Error::Conflict(_) => StatusCode::CONFLICT,
        Error::NotFound | Error::Unauthenticated(_) => StatusCode::NOT_FOUND,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

pub fn page(status: StatusCode, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
    headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    // Without a referrer, browsers do not say which site a form comes from either.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    // A browser asks again, since rights may have changed; after signing out nothing is shown from its cache.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    response
}

/// The target is a path of this service, never a URL that somebody else has chosen.
fn redirect(to: &str) -> Response {
    let to = if is_own_path(to) { to } else { "/" };
    let mut response = page(StatusCode::SEE_OTHER, Bytes::new());
    let location = HeaderValue::try_from(to).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(LOCATION, location);
    response
}

/// Whether a text is a path of this service: browsers take `//host` and `/\host` for another one.
pub fn is_own_path(text: &str) -> bool {
    let is_plain = text.bytes().all(|byte| (0x21..0x7f).contains(&byte) && byte != b'\\');
    text.starts_with('/') && !text.starts_with("//") && is_plain
}

fn with_cookie(mut response: Response, cookie: &str) -> Response {
    if let Ok(value) = HeaderValue::try_from(cookie) {
        response.headers_mut().append(SET_COOKIE, value);
    }
    response
}

fn file(content_type: &'static str, body: Bytes, caching: &'static str) -> Response {
    let mut response = page(StatusCode::OK, body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(FILE_POLICY));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_on_this_service() {
        for good in ["/", "/a/b?c=d#e"] {
            assert!(is_own_path(good), "{good}");
        }
        for bad in ["", "a", "//evil.example", "/\\evil.example", "https://evil.example", "/a\r\nb", "/a b"] {
            assert!(!is_own_path(bad), "{bad}");
        }
    }
}
