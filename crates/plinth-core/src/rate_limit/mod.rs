//! Rate limits: requests per hour, and created content per minute and hour.
//!
//! The counters are in the memory of one node (docs/decisions/0003-rate-limits-per-node.md), and their number is limited.

mod fixed_windows;

use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};

use crate::tokens::Principal;
use fixed_windows::FixedWindows;
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, InstallationId};

const HOUR: i64 = 3600;
const MINUTE: i64 = 60;
/// An IPv6 client usually has a whole network of this prefix length.
const IPV6_PREFIX_LENGTH: u32 = 64;

/// The operator's limits for each caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimits {
    /// Whether the limits apply at all.
    pub enforced: bool,
    pub requests_per_hour: i64,
    pub anonymous_requests_per_hour: i64,
    pub content_per_minute: i64,
    pub content_per_hour: i64,
    /// Repetitions of the same content in one operation within a minute; more count as spam.
    pub same_content_per_minute: i64,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            enforced: true,
            requests_per_hour: 5_000,
            anonymous_requests_per_hour: 60,
            content_per_minute: 80,
            content_per_hour: 500,
            same_content_per_minute: 20,
        }
    }
}

/// The limit key: whom a request is counted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitKey {
    User(AccountId),
    Installation(InstallationId),
    Address(IpAddr),
}

impl LimitKey {
    /// `None` for an app that signs with its own key: its requests are not counted.
    pub fn of(principal: &Principal, address: IpAddr) -> Option<Self> {
        match principal {
            Principal::Anonymous => Some(LimitKey::Address(address)),
            Principal::User(token) => Some(LimitKey::User(token.user)),
            Principal::Installation(token) => Some(LimitKey::Installation(token.installation)),
            Principal::App(_) => None,
        }
    }

    /// The key of the counter: all IPv6 addresses of one client have the same.
    fn counted(self) -> Self {
        match self {
            LimitKey::Address(address) => LimitKey::Address(match address.to_canonical() {
                IpAddr::V4(address) => IpAddr::V4(address),
                IpAddr::V6(address) => {
                    let mask = u128::MAX << (128 - IPV6_PREFIX_LENGTH);
                    IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
                }
            }),
            LimitKey::User(_) | LimitKey::Installation(_) => self,
        }
    }

    fn exhausted(self) -> String {
        match self {
            LimitKey::User(id) => format!("API rate limit exceeded for user ID {id}."),
            LimitKey::Installation(id) => format!("API rate limit exceeded for installation ID {id}."),
            LimitKey::Address(address) => format!(
                "API rate limit exceeded for {address}. (But here's the good news: Authenticated requests get a \
                 higher rate limit. Check out the documentation for more details.)"
            ),
        }
    }
}

/// The state of one caller's hourly rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    pub limit: i64,
    pub used: i64,
    pub reset: Timestamp,
}

impl RateLimit {
    pub fn remaining(self) -> i64 {
        (self.limit - self.used).max(0)
    }
}

/// The counters of this node.
pub struct RateLimiter {
    limits: RateLimits,
    requests: FixedWindows<LimitKey>,
    /// Separate, because a client can have many addresses and must not evict the counters of users.
    anonymous_requests: FixedWindows<LimitKey>,
    content_minute: FixedWindows<AccountId>,
    content_hour: FixedWindows<AccountId>,
    same_content: FixedWindows<(AccountId, &'static str, u64)>,
    hasher: RandomState,
}

impl RateLimiter {
    pub fn new(limits: RateLimits) -> Self {
        Self {
            limits,
            requests: FixedWindows::new(HOUR),
            anonymous_requests: FixedWindows::new(HOUR),
            content_minute: FixedWindows::new(MINUTE),
            content_hour: FixedWindows::new(HOUR),
            same_content: FixedWindows::new(MINUTE),
            hasher: RandomState::new(),
        }
    }

    fn limit_of(&self, key: LimitKey) -> i64 {
        match key {
            LimitKey::User(_) | LimitKey::Installation(_) => self.limits.requests_per_hour,
            LimitKey::Address(_) => self.limits.anonymous_requests_per_hour,
        }
    }

    fn requests_of(&self, key: LimitKey) -> &FixedWindows<LimitKey> {
        match key {
            LimitKey::User(_) | LimitKey::Installation(_) => &self.requests,
            LimitKey::Address(_) => &self.anonymous_requests,
        }
    }

    /// Counts one request. If the limits are not enforced, the state shows none used, because clients stop at zero.
    pub fn count(&self, key: LimitKey, now: Timestamp) -> (RateLimit, Result<()>) {
        let limit = self.limit_of(key);
        if !self.limits.enforced {
            return (RateLimit { limit, used: 0, reset: now.plus_seconds(HOUR) }, Ok(()));
        }
        let (used, reset) = self.requests_of(key).add(key.counted(), 1, limit, now);
        let outcome = if used > limit { Err(Error::RateLimited(key.exhausted())) } else { Ok(()) };
        (RateLimit { limit, used: used.min(limit), reset }, outcome)
    }

    /// Subtracts one request: a `304 Not Modified` response is not counted.
    pub fn uncount(&self, key: LimitKey, rate_limit: RateLimit, now: Timestamp) -> RateLimit {
        if !self.limits.enforced {
            return rate_limit;
        }
        self.requests_of(key).subtract(key.counted(), 1, now);
        RateLimit { used: (rate_limit.used - 1).max(0), ..rate_limit }
    }

    /// The current state, without counting a request.
    pub fn peek(&self, key: LimitKey, now: Timestamp) -> RateLimit {
        let limit = self.limit_of(key);
        let (used, reset) = if self.limits.enforced {
            self.requests_of(key).peek(key.counted(), now)
        } else {
            (0, now.plus_seconds(HOUR))
        };
        RateLimit { limit, used: used.min(limit), reset }
    }

    /// As [`RateLimiter::admit_content`], for the account that the caller acts as.
    pub fn admit(&self, caller: &Principal, operation: &'static str, content: &str, now: Timestamp) -> Result<()> {
        caller.actor().map_or(Ok(()), |actor| self.admit_content(actor, operation, content, now))
    }

    /// Counts one piece of content that `actor` is about to create through `operation`.
    pub fn admit_content(
        &self,
        actor: AccountId,
        operation: &'static str,
        content: &str,
        now: Timestamp,
    ) -> Result<()> {
        self.admit_contents(actor, operation, &[content], now)
    }

    /// Counts each piece of content that `actor` is about to create in one request.
    ///
    /// A request with more pieces than the limit is admitted if its window is empty: otherwise it never could be.
    pub fn admit_contents(
        &self,
        actor: AccountId,
        operation: &'static str,
        contents: &[&str],
        now: Timestamp,
    ) -> Result<()> {
        if !self.limits.enforced {
            return Ok(());
        }
        let count = i64::try_from(contents.len()).unwrap_or(i64::MAX).max(1);
        let (in_minute, minute_ends) = self.content_minute.add(actor, count, self.limits.content_per_minute, now);
        let (in_hour, hour_ends) = self.content_hour.add(actor, count, self.limits.content_per_hour, now);
        let wait = |until: Timestamp| {
            let seconds = u64::try_from(until.0 - now.0).unwrap_or_default();
            Error::SecondaryLimited { retry_after_seconds: seconds.max(1) }
        };
        let is_over = |used: i64, limit: i64| used > limit && (count == 1 || used > count);
        let over_minute = is_over(in_minute, self.limits.content_per_minute);
        let over_hour = is_over(in_hour, self.limits.content_per_hour);
        if over_minute || over_hour {
            // Rejected content is not created, so it does not count.
            self.content_minute.subtract(actor, count, now);
            self.content_hour.subtract(actor, count, now);
            return Err(wait(if over_hour { hour_ends } else { minute_ends }));
        }
        let fingerprint = self.hasher.hash_one(contents);
        let same_max = self.limits.same_content_per_minute;
        let (same, _) = self.same_content.add((actor, operation, fingerprint), 1, same_max, now);
        if same > same_max {
            return Err(Error::unprocessable(
                "Validation failed, or the endpoint has been spammed: the same content was sent again and again.",
            ));
        }
        Ok(())
    }
}
