//! Who may use the control interface.

use std::net::IpAddr;

use http::HeaderMap;
use http::header::{AUTHORIZATION, HOST, ORIGIN};

use plinth_base::error::{Error, Result};
use plinth_core::tokens::hash;

/// Where the interface is, and who may use it.
pub enum Exposure {
    /// On the address of the API, which is a loopback address, for everybody on this machine.
    Loopback,
    /// On an address of its own, with a token, whose hash this is.
    Token([u8; 32]),
}

impl Exposure {
    /// Whether the interface is at the address of the API.
    pub fn is_with_api(&self) -> bool {
        matches!(self, Exposure::Loopback)
    }

    pub fn check(&self, headers: &HeaderMap, peer: IpAddr) -> Result<()> {
        match self {
            Exposure::Loopback => check_local(headers, peer),
            Exposure::Token(expected) => {
                let value = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
                let token = value.and_then(|value| value.strip_prefix("Bearer "));
                // Hashes are compared, so that the time it takes says nothing about the token.
                match token.is_some_and(|token| hash(token) == *expected) {
                    true => Ok(()),
                    false => Err(Error::Unauthenticated("the token of the control interface is required")),
                }
            }
        }
    }
}

/// A page in a browser on this machine must not reset a server: its requests have an `Origin`, or a `Host` whose name was
/// made to resolve to this machine.
fn check_local(headers: &HeaderMap, peer: IpAddr) -> Result<()> {
    let host = headers.get(HOST).map_or(Some("localhost"), |host| host.to_str().ok()).unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_local = name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    if peer.to_canonical().is_loopback() && is_local && !headers.contains_key(ORIGIN) {
        return Ok(());
    }
    Err(Error::Forbidden("the control interface is for programs on this machine, not for pages in a browser".into()))
}
