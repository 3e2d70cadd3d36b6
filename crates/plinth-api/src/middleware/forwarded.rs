//! The URLs of this service as the caller sees it, and the caller's IP address, behind trusted proxies or not.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use http::header::HOST;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, Uri};

use crate::app::App;
use plinth_base::urls::Urls;

const API_PREFIX: &str = "/api/v3";

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The path below the API's root, wherever that is.
pub fn without_prefix(path: &str) -> &str {
    match path.strip_prefix(API_PREFIX) {
        Some("") => "/",
        Some(rest) if rest.starts_with('/') => rest,
        _ => path,
    }
}

/// URLs in responses begin with what the caller used. Headers of a proxy count only if the proxy is trusted.
pub fn urls_of(app: &App, headers: &HeaderMap, peer: IpAddr, target: &Uri) -> Urls {
    let path = target.path();
    let prefix = if without_prefix(path).len() == path.len() { "" } else { API_PREFIX };
    if let Some(public_url) = &app.settings.public_url {
        return Urls::new(public_url, prefix);
    }
    let trusted = is_trusted(app, peer.to_canonical());
    let header =
        |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).filter(|text| is_host(text));
    let forwarded = |name: HeaderName| if trusted { header(name) } else { None };
    let scheme = forwarded(X_FORWARDED_PROTO).filter(|scheme| *scheme == "https").unwrap_or("http");
    // Over HTTP/2 the host is a part of the target.
    let named = || target.authority().map(Authority::as_str).filter(|text| is_host(text));
    let host = forwarded(X_FORWARDED_HOST).or_else(|| header(HOST)).or_else(named).unwrap_or("localhost");
    Urls::new(&format!("{scheme}://{host}"), prefix)
}

/// A host that can be part of a URL without changing its meaning.
fn is_host(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
    !text.is_empty() && text.len() <= 255 && text.bytes().all(allowed)
}

/// The client's IP address: the nearest one that is not a trusted proxy's.
///
/// Each proxy appends the address that it was called from, perhaps as a header line of its own. So all lines count as one
/// list, which is read from its end, and an entry is believed only if a trusted proxy wrote it. What is no address ends the
/// list: whatever stands before it was written by nobody knows whom.
pub fn client_address(app: &App, headers: &HeaderMap, peer: IpAddr) -> IpAddr {
    let mut client = peer.to_canonical();
    if !is_trusted(app, client) {
        return client;
    }
    let lines = headers.get_all(X_FORWARDED_FOR).into_iter().collect::<Vec<_>>();
    let entries = lines.into_iter().rev().flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
    for entry in entries {
        if !is_trusted(app, client) {
            break;
        }
        let Some(forwarded) = forwarded_address(entry) else { break };
        client = forwarded;
    }
    client
}

fn is_trusted(app: &App, address: IpAddr) -> bool {
    app.settings.trusted_proxies.iter().any(|network| network.contains(address))
}

/// An entry as proxies write it: an address, which some follow by a port.
fn forwarded_address(entry: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(entry).ok()?.trim();
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(IpAddr::V6);
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let address = text.parse::<IpAddr>().ok().or_else(bracketed).or_else(with_port);
    address.map(|address| address.to_canonical())
}
