//! Where a request came from and where it thinks that it went.

use std::net::IpAddr;

use http::HeaderMap;
use http::header::HOST;

use crate::app::App;
use crate::urls::Urls;

const API_PREFIX: &str = "/api/v3";

/// The path below the place where the API lies.
pub fn without_prefix(path: &str) -> &str {
    match path.strip_prefix(API_PREFIX) {
        Some("") => "/",
        Some(rest) if rest.starts_with('/') => rest,
        _ => path,
    }
}

/// The addresses in the answer are those that the caller used; a proxy is believed only where it is trusted.
pub fn urls_of(app: &App, headers: &HeaderMap, peer: IpAddr, path: &str) -> Urls {
    let prefix = if without_prefix(path).len() == path.len() { "" } else { API_PREFIX };
    if let Some(public_url) = &app.settings.public_url {
        return Urls::new(public_url, prefix);
    }
    let trusted = app.settings.trusted_proxies.contains(&peer);
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).filter(|text| is_host(text));
    let forwarded = |name: &str| if trusted { header(name) } else { None };
    let scheme = forwarded("x-forwarded-proto").filter(|scheme| *scheme == "https").unwrap_or("http");
    let host = forwarded("x-forwarded-host").or_else(|| header(HOST.as_str())).unwrap_or("localhost");
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
