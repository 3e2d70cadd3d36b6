//! How long a response stays valid by the clock.

use std::sync::Arc;

use plinth_base::clock::Timestamp;
use plinth_core::access::principal_bytes;
use plinth_core::tokens::{ExpiredTokens, Principal};

const DAY_SECONDS: i64 = 24 * 60 * 60;

/// How long a response stays valid by the clock. It also begins with the second in which it was made, since a clock can be set back.
pub enum Lifetime {
    /// To the end of the second.
    Second(Timestamp),
    /// To the end of the day in UTC, with which iterations end, unless the caller's token expires before.
    Day(Timestamp, Arc<Principal>),
}

impl Lifetime {
    pub fn new(made_at: Timestamp, principal: &Arc<Principal>) -> Self {
        match **principal {
            // The expiry is in its signed token.
            Principal::App(_) => Lifetime::Second(made_at),
            Principal::Anonymous | Principal::User(_) | Principal::Installation(_) => {
                Lifetime::Day(made_at, principal.clone())
            }
        }
    }

    /// What it takes in a cache. Callers with several responses share their principal, but may do so no longer.
    pub fn bytes(&self) -> usize {
        match self {
            Lifetime::Second(_) => 0,
            Lifetime::Day(_, principal) => principal_bytes(principal),
        }
    }

    pub fn contains(&self, now: Timestamp, expired: &ExpiredTokens) -> bool {
        match self {
            Lifetime::Second(made_at) => now == *made_at,
            Lifetime::Day(made_at, principal) => {
                now >= *made_at && day(now) == day(*made_at) && !principal.is_expired(now, expired)
            }
        }
    }
}

fn day(moment: Timestamp) -> i64 {
    moment.0.div_euclid(DAY_SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i64 = 20_000 * DAY_SECONDS + DAY_SECONDS / 2;

    #[test]
    fn lifetime_ends_with_the_second_or_the_day() {
        let contains =
            |lifetime: &Lifetime, later: i64| lifetime.contains(Timestamp(NOON + later), &ExpiredTokens::default());
        let second = Lifetime::Second(Timestamp(NOON));
        assert!(contains(&second, 0) && !contains(&second, 1) && !contains(&second, -1));
        let day = Lifetime::new(Timestamp(NOON), &Arc::new(Principal::Anonymous));
        assert!(contains(&day, 0) && contains(&day, DAY_SECONDS / 2 - 1));
        assert!(!contains(&day, DAY_SECONDS / 2) && !contains(&day, -1), "the next day, and before it was made");
    }
}
