//! Where this service is as a caller sees it, and where the caller is.

use std::net::IpAddr;

use http::header::HOST;
use http::uri::Authority;
use http::{HeaderMap, Uri};

use crate::app::App;
use crate::urls::Urls;

const API_PREFIX: &str = "/api/v3";

/// The path below the API's root, wherever that is.
pub fn without_prefix(path: &str) -> &str {
    match path.strip_prefix(API_PREFIX) {
        Some("") => "/",
        Some(rest) if rest.starts_with('/') => rest,
        _ => path,
    }
}

/// The addresses in the answer are those that the caller used; a proxy is believed only where it is trusted.
pub fn urls_of(app: &App, headers: &HeaderMap, peer: IpAddr, target: &Uri) -> Urls {
    let path = target.path();
    let prefix = if without_prefix(path).len() == path.len() { "" } else { API_PREFIX };
    if let Some(public_url) = &app.settings.public_url {
        return Urls::new(public_url, prefix);
    }
    let trusted = app.settings.trusted_proxies.contains(&peer);
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).filter(|text| is_host(text));
    let forwarded = |name: &str| if trusted { header(name) } else { None };
    let scheme = forwarded("x-forwarded-proto").filter(|scheme| *scheme == "https").unwrap_or("http");
    // Over HTTP/2 the host is a part of the target.
    let named = || target.authority().map(Authority::as_str).filter(|text| is_host(text));
    let host = forwarded("x-forwarded-host").or_else(|| header(HOST.as_str())).or_else(named).unwrap_or("localhost");
    Urls::new(&format!("{scheme}://{host}"), prefix)
}

/// A host that can stand in an address without changing its meaning.
fn is_host(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
    !text.is_empty() && text.len() <= 255 && text.bytes().all(allowed)
}

/// The last address that a trusted proxy has seen, or the peer itself.
pub fn client_address(app: &App, headers: &HeaderMap, peer: IpAddr) -> IpAddr {
    if !app.settings.trusted_proxies.contains(&peer) {
        return peer;
    }
    let forwarded = headers.get("x-forwarded-for").and_then(|value| value.to_str().ok());
    forwarded.and_then(|list| list.rsplit(',').next()?.trim().parse().ok()).unwrap_or(peer)
}
