//! The session of a browser: its cookie, and the token in its forms that another site cannot know.

use http::HeaderMap;
use http::header::{COOKIE, HOST, ORIGIN};
use plinth_core::tokens::{hash, random_text};
use subtle::ConstantTimeEq;

/// The prefix makes browsers insist on `Secure`, on the whole host and on no other host's influence.
const SECURE_NAME: &str = "__Host-plinth_session";
const PLAIN_NAME: &str = "plinth_session";
/// Before signing in there is no session, but the form has a token all the same.
const VISITOR_SECURE_NAME: &str = "__Host-plinth_visitor";
const VISITOR_PLAIN_NAME: &str = "plinth_visitor";
/// While a browser waits for its code to be approved.
const CODE_SECURE_NAME: &str = "__Host-plinth_code";
const CODE_PLAIN_NAME: &str = "plinth_code";
const VISITOR_LENGTH: usize = 32;
const COOKIE_LENGTH_MAX: usize = 64;

/// How a browser is connected, which decides about its cookies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Encrypted,
    /// Only on the loopback interface, where browsers would not store a secure cookie.
    PlainLoopback,
}

impl Transport {
    fn session_name(self) -> &'static str {
        match self {
            Transport::Encrypted => SECURE_NAME,
            Transport::PlainLoopback => PLAIN_NAME,
        }
    }

    fn visitor_name(self) -> &'static str {
        match self {
            Transport::Encrypted => VISITOR_SECURE_NAME,
            Transport::PlainLoopback => VISITOR_PLAIN_NAME,
        }
    }

    fn code_name(self) -> &'static str {
        match self {
            Transport::Encrypted => CODE_SECURE_NAME,
            Transport::PlainLoopback => CODE_PLAIN_NAME,
        }
    }

    fn attributes(self) -> &'static str {
        match self {
            Transport::Encrypted => "Path=/; HttpOnly; SameSite=Lax; Secure",
            Transport::PlainLoopback => "Path=/; HttpOnly; SameSite=Lax",
        }
    }
}

/// The id of the session that the browser presents.
pub fn presented(headers: &HeaderMap, transport: Transport) -> Option<String> {
    cookie(headers, transport.session_name())
}

/// What the browser was given with the form to sign in.
pub fn visitor(headers: &HeaderMap, transport: Transport) -> Option<String> {
    cookie(headers, transport.visitor_name())
}

/// The device code of a browser that signs in with a code.
pub fn device_code(headers: &HeaderMap, transport: Transport) -> Option<String> {
    cookie(headers, transport.code_name())
}

/// The cookie with a device code.
pub fn cookie_for_code(code: &str, seconds: i64, transport: Transport) -> String {
    format!("{}={code}; Max-Age={seconds}; {}", transport.code_name(), transport.attributes())
}

/// The cookie that removes the device code.
pub fn cookie_without_code(transport: Transport) -> String {
    format!("{}=; Max-Age=0; {}", transport.code_name(), transport.attributes())
}

/// The cookie of a new session.
pub fn cookie_for(id: &str, seconds: i64, transport: Transport) -> String {
    format!("{}={id}; Max-Age={seconds}; {}", transport.session_name(), transport.attributes())
}

/// The cookie that removes the session.
pub fn cookie_without(transport: Transport) -> String {
    format!("{}=; Max-Age=0; {}", transport.session_name(), transport.attributes())
}

/// A new visitor, with the cookie.
pub fn new_visitor(transport: Transport) -> (String, String) {
    let visitor = random_text(VISITOR_LENGTH);
    let cookie = format!("{}={visitor}; {}", transport.visitor_name(), transport.attributes());
    (visitor, cookie)
}

/// The token in the forms of a session or visitor. Only who has the cookie can compute it.
pub fn form_token(secret: &str) -> String {
    let hash = hash(&format!("form {secret}"));
    hash.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Whether a form was sent from a page of this service to the holder of the cookie.
pub fn is_own_form(headers: &HeaderMap, secret: Option<&str>, sent: Option<&str>) -> bool {
    let (Some(secret), Some(sent)) = (secret, sent) else { return false };
    let is_same = bool::from(form_token(secret).as_bytes().ct_eq(sent.as_bytes()));
    is_same && is_own_origin(headers)
}

/// Browsers say where a form was sent from. Behind a proxy the host may be another, so only `null` and other sites by the
/// browser's own report are rejected there.
fn is_own_origin(headers: &HeaderMap) -> bool {
    let text = |name: &http::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok()) {
        return matches!(site, "same-origin" | "none");
    }
    match (text(&ORIGIN), text(&HOST)) {
        (Some(origin), Some(host)) => origin.split_once("://").is_some_and(|(_, authority)| authority == host),
        _ => true,
    }
}

fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut found = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = found.find(|(own, _)| *own == name)?;
    let is_good = !value.is_empty() && value.len() <= COOKIE_LENGTH_MAX;
    (is_good && value.bytes().all(|byte| byte.is_ascii_alphanumeric())).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value"))).collect()
    }

    #[test]
    fn cookies_are_found_by_their_whole_names() {
        let sent = headers(&[("cookie", "xplinth_session=bad; plinth_session=good; other=1")]);
        assert_eq!(presented(&sent, Transport::PlainLoopback).as_deref(), Some("good"));
        assert_eq!(presented(&sent, Transport::Encrypted), None, "a plain cookie is no secure one");
        assert_eq!(presented(&headers(&[("cookie", "plinth_session=a\"b")]), Transport::PlainLoopback), None);
    }

    #[test]
    fn forms_of_other_sites_are_rejected() {
        let token = form_token("secret");
        let own = headers(&[("origin", "http://here"), ("host", "here")]);
        assert!(is_own_form(&own, Some("secret"), Some(&token)));
        assert!(!is_own_form(&own, Some("other"), Some(&token)));
        assert!(!is_own_form(&own, Some("secret"), None));
        assert!(!is_own_form(&own, None, Some(&token)));
        let foreign = headers(&[("origin", "http://there"), ("host", "here")]);
        assert!(!is_own_form(&foreign, Some("secret"), Some(&token)));
        let fetched = headers(&[("origin", "http://here"), ("host", "here"), ("sec-fetch-site", "cross-site")]);
        assert!(!is_own_form(&fetched, Some("secret"), Some(&token)));
    }
}
