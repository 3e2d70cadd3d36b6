//! Rate limits: requests per hour, and created content per minute and hour.
//!
//! The counters are in the memory of one node (docs/decisions/0003-rate-limits-per-node.md), and their number is limited. Several
//! nodes lease what they count from the database (docs/decisions/0166-rate-limit-leases.md).

mod content;
mod fixed_windows;
mod leases;

use std::hash::RandomState;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::OnceLock;
use std::time::Duration;

use crate::tokens::Principal;
use fixed_windows::FixedWindows;
use leases::{Counted, Counter, Leases, Limit};
use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, InstallationId};
use plinth_store::{Connection, Store, Transaction, params};

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

    fn of(counted: Counted, limit: i64, now: Timestamp) -> Self {
        Self { limit, used: counted.used, reset: now.plus_seconds(whole_seconds(counted.ends_in)) }
    }
}

fn hourly(max: i64) -> Limit {
    Limit { max, seconds: HOUR }
}

fn whole_seconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis().div_ceil(1_000)).unwrap_or(HOUR)
}

/// Deletes windows that ended long ago, whatever the difference is between the clocks of this node and of the database.
pub async fn delete_ended(tx: &mut Transaction, now: Timestamp) -> Result<()> {
    let sql = "delete from rate_limit_window where ends_at < $1";
    tx.content_only().execute(sql, params![long_ago(now)]).await?;
    Ok(())
}

/// Whether [`delete_ended`] would delete one.
pub async fn has_ended(db: &mut Connection, now: Timestamp) -> Result<bool> {
    let sql = "select cast(1 as bigint) from rate_limit_window where ends_at < $1 limit 1";
    Ok(db.optional::<(i64,)>(sql, params![long_ago(now)]).await?.is_some())
}

/// In milliseconds, as the ends of windows are.
fn long_ago(now: Timestamp) -> i64 {
    now.plus_seconds(-HOUR).0 * 1_000
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
    /// If other nodes serve the same callers.
    shared: OnceLock<Shared>,
}

struct Shared {
    store: Store,
    leases: Leases,
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
            shared: OnceLock::new(),
        }
    }

    /// From now on, limits hold over all nodes of this store.
    pub(crate) fn share(&self, store: Store) {
        if self.limits.enforced {
            self.shared.get_or_init(|| Shared { store, leases: Leases::default() });
        }
    }

    /// Whether limits hold over several nodes.
    pub fn is_shared(&self) -> bool {
        self.shared.get().is_some()
    }

    /// Leases what requests need, until the task is aborted. Ends at once if nothing is shared.
    pub async fn run_leases(&self) {
        if let Some(shared) = self.shared.get() {
            shared.leases.run(&shared.store).await;
        }
    }

    /// Gives the other nodes what this one has not used.
    pub async fn stop_sharing(&self) {
        if let Some(shared) = self.shared.get() {
            shared.leases.give_back_all(&shared.store).await;
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
    pub async fn count(&self, key: LimitKey, now: Timestamp) -> (RateLimit, Result<()>) {
        let Some(shared) = self.shared.get() else { return self.count_here(key, now) };
        let limit = self.limit_of(key);
        match shared.leases.count(Counter::Requests(key.counted()), 1, hourly(limit)).await {
            Ok(counted) => {
                let outcome = counted.is_admitted.then_some(()).ok_or_else(|| Error::RateLimited(key.exhausted()));
                (RateLimit::of(counted, limit, now), outcome)
            }
            Err(error) => (RateLimit { limit, used: 0, reset: now.plus_seconds(HOUR) }, Err(error)),
        }
    }

    /// As [`RateLimiter::count`], by the counters of this node: for a store that no other node serves.
    pub fn count_here(&self, key: LimitKey, now: Timestamp) -> (RateLimit, Result<()>) {
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
        match self.shared.get() {
            Some(shared) => shared.leases.uncount(Counter::Requests(key.counted()), 1),
            None => self.requests_of(key).subtract(key.counted(), 1, now),
        }
        RateLimit { used: (rate_limit.used - 1).max(0), ..rate_limit }
    }

    /// The current state, without counting a request.
    pub async fn peek(&self, key: LimitKey, now: Timestamp) -> Result<RateLimit> {
        let limit = self.limit_of(key);
        if let Some(Shared { store, leases }) = self.shared.get() {
            let counted = leases.peek(store, Counter::Requests(key.counted()), hourly(limit)).await?;
            return Ok(RateLimit::of(counted, limit, now));
        }
        let (used, reset) = if self.limits.enforced {
            self.requests_of(key).peek(key.counted(), now)
        } else {
            (0, now.plus_seconds(HOUR))
        };
        Ok(RateLimit { limit, used: used.min(limit), reset })
    }
}
