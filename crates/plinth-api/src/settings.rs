//! Settings of a running service.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use ipnet::IpNet;
use serde::Deserialize;

use plinth_core::DisabledCaches;
use plinth_core::objects::ObjectLimits;
use plinth_core::rate_limit::RateLimits;

/// What operators can set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The URL that clients use, where it differs from what requests say.
    pub public_url: Option<String>,
    /// The proxies whose `X-Forwarded-…` headers count; none by default.
    pub trusted_proxies: Vec<Network>,
    pub rate_limits: RateLimits,
    pub request_timeout: Duration,
    /// Concurrent requests; more get 503 at once instead of waiting.
    pub requests_max: usize,
    /// Of which one caller may have this many.
    pub requests_per_caller_max: usize,
    pub connections_max: usize,
    /// For each peer that is no trusted proxy.
    pub connections_per_peer_max: usize,
    /// How long a connection may be without a request.
    pub keep_alive_timeout: Duration,
    /// How long a client may take nothing of its response.
    pub write_timeout: Duration,
    /// Memory for large responses that are being sent.
    pub response_bytes_max: usize,
    /// Whether responses are compressed for clients that accept it.
    pub compression: bool,
    /// Memory for the response cache; 0 turns it off.
    pub response_cache_bytes: usize,
    pub response_cache_admission: CacheAdmission,
    /// Whether anything from the store is cached, responses included.
    pub disabled_caches: DisabledCaches,
    /// How long a service that was asked to stop goes on as before, but is not ready.
    pub lame_duck: Duration,
    /// How long a stopping service waits for requests that are under way.
    pub drain_timeout: Duration,
    pub objects: ObjectLimits,
    /// Bytes of one file of a release.
    pub release_asset_bytes_max: usize,
    pub git: GitSettings,
    /// The file with the key of secrets, by default in the data directory.
    pub secrets_key_file: Option<PathBuf>,
}

/// Which responses are added to the response cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheAdmission {
    /// Those to requests that came before, not long ago. Most requests come once, and adding a response takes more time than
    /// most lookups save.
    Repeated,
    /// All, so that tests find every response that is cached too long.
    All,
}

/// An address, or all addresses that begin with the same bits, such as `10.0.0.0/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Network(IpNet);

impl Network {
    pub fn contains(self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }
}

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Self {
        Self(address.to_canonical().into())
    }
}

impl FromStr for Network {
    type Err = String;

    /// Bits behind the prefix are most often a mistake about which addresses are meant.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(address.into());
        }
        match text.parse::<IpNet>() {
            Ok(network) if network.addr() == network.network() => Ok(Self(network)),
            Ok(network) => Err(format!("{text:?} has bits behind its prefix; did you mean {}?", network.trunc())),
            Err(_) => Err(format!("{text:?} is neither an address nor a network such as 10.0.0.0/8")),
        }
    }
}

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Network {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.prefix_len() == self.0.max_prefix_len() { self.0.addr().fmt(out) } else { self.0.fmt(out) }
    }
}

/// Limits of clone and push.
#[derive(Debug, Clone)]
pub struct GitSettings {
    /// Bytes in one pushed pack.
    pub pack_size_max: u64,
    /// Bytes in one object of a pushed pack.
    pub object_size_max: u64,
    /// Bytes of one request for a pack. A clone sends 50 for each reference.
    pub request_size_max: u64,
    /// How long a whole push, and each process of git, may last.
    pub timeout: Duration,
    /// How long nothing may come or go.
    pub idle_timeout: Duration,
    /// Processes of git at once; more requests wait, and are then turned away.
    pub processes_max: usize,
    /// Of which one caller may have this many.
    pub processes_per_caller_max: usize,
}

impl Default for GitSettings {
    fn default() -> Self {
        Self {
            pack_size_max: 2 << 30,
            object_size_max: 100 << 20,
            request_size_max: 128 << 20,
            timeout: Duration::from_secs(3600),
            idle_timeout: Duration::from_secs(60),
            processes_max: 16,
            processes_per_caller_max: 4,
        }
    }
}

impl Settings {
    /// The part of the response cache for whole responses to identical requests.
    pub fn whole_response_bytes(&self) -> usize {
        self.response_cache_bytes / 2
    }

    /// The part for bodies that callers share.
    pub fn shared_body_bytes(&self) -> usize {
        self.response_cache_bytes - self.whole_response_bytes()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            public_url: None,
            trusted_proxies: Vec::new(),
            rate_limits: RateLimits::default(),
            request_timeout: Duration::from_secs(10),
            requests_max: 1024,
            requests_per_caller_max: 256,
            connections_max: 4096,
            connections_per_peer_max: 1024,
            keep_alive_timeout: Duration::from_secs(75),
            write_timeout: Duration::from_secs(60),
            response_bytes_max: 128 << 20,
            compression: true,
            response_cache_bytes: 64 << 20,
            response_cache_admission: CacheAdmission::Repeated,
            disabled_caches: DisabledCaches::default(),
            lame_duck: Duration::from_secs(5),
            drain_timeout: Duration::from_secs(30),
            objects: ObjectLimits::default(),
            release_asset_bytes_max: 64 << 20,
            git: GitSettings::default(),
            secrets_key_file: None,
        }
    }
}
