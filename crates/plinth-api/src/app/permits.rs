//! Permits that many callers share, of which none may hold more than its part.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use plinth_base::ids::{AccountId, AppId, InstallationId};
use plinth_core::tokens::Principal;

/// Callers that are tracked; beyond that, those without a permit are dropped.
const CALLERS_MIN: usize = 1024;

/// Who permits are counted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Caller {
    User(AccountId),
    Installation(InstallationId),
    App(AppId),
    /// Everyone without a credential at one address, or in one IPv6 network of 64 bits.
    Network(IpAddr),
}

impl Caller {
    pub fn of(principal: &Principal, address: IpAddr) -> Self {
        match principal {
            Principal::User(token) => Caller::User(token.user),
            Principal::Installation(token) => Caller::Installation(token.installation),
            Principal::App(signature) => Caller::App(signature.app),
            Principal::Anonymous => Caller::Network(match address.to_canonical() {
                IpAddr::V4(address) => IpAddr::V4(address),
                IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
            }),
        }
    }
}

/// A number of permits, and the part of them that one caller may hold.
#[derive(Debug)]
pub struct Permits {
    all: Arc<Shared>,
    size: usize,
    part: usize,
    parts: Mutex<Parts>,
}

#[derive(Debug, Default)]
struct Parts {
    by_caller: HashMap<Caller, Weak<Shared>>,
    clean_at: usize,
}

/// What one caller may hold, or all of them together.
#[derive(Debug)]
struct Shared {
    semaphore: Arc<Semaphore>,
    waiting: AtomicUsize,
}

impl Shared {
    fn new(size: usize) -> Arc<Self> {
        Arc::new(Self { semaphore: Arc::new(Semaphore::new(size)), waiting: AtomicUsize::new(0) })
    }

    fn try_take(self: &Arc<Self>) -> Option<Taken> {
        Some(Taken { _permit: self.semaphore.clone().try_acquire_owned().ok()?, from: self.clone() })
    }

    async fn take(self: &Arc<Self>, count: u32) -> Option<Taken> {
        let _waiter = Waiter::new(&self.waiting);
        Some(Taken { _permit: self.semaphore.clone().acquire_many_owned(count).await.ok()?, from: self.clone() })
    }
}

#[derive(Debug)]
struct Taken {
    _permit: OwnedSemaphorePermit,
    from: Arc<Shared>,
}

impl Taken {
    fn is_contended(&self) -> bool {
        self.from.waiting.load(Ordering::Relaxed) > 0
    }
}

/// What a caller holds; it goes back when this is dropped.
#[derive(Debug)]
pub struct Permit {
    of_all: Taken,
    /// Missing until it is known who the caller is.
    of_part: Option<Taken>,
}

impl Permit {
    /// Whether somebody waits who could have this one: the same caller, or anyone where there are no more at all.
    pub fn is_contended(&self) -> bool {
        self.of_all.is_contended() || self.of_part.as_ref().is_some_and(Taken::is_contended)
    }
}

impl Permits {
    /// At least one of them is everyone's part, where there are any.
    pub fn new(size: usize, part: usize) -> Self {
        Self { all: Shared::new(size), size, part: part.clamp(1, size.max(1)), parts: Mutex::default() }
    }

    pub fn available(&self) -> usize {
        self.all.semaphore.available_permits()
    }

    /// One permit, if there is one for this caller now.
    pub fn try_acquire(&self, caller: Caller) -> Option<Permit> {
        let mut permit = self.try_acquire_for_nobody()?;
        self.count_for(&mut permit, caller).then_some(permit)
    }

    /// One permit for a caller who is not known yet.
    pub fn try_acquire_for_nobody(&self) -> Option<Permit> {
        Some(Permit { of_all: self.all.try_take()?, of_part: None })
    }

    /// Counts a permit for the caller who turned out to hold it; false if that is one too many.
    pub fn count_for(&self, permit: &mut Permit, caller: Caller) -> bool {
        permit.of_part = self.part_of(caller).try_take();
        permit.of_part.is_some()
    }

    /// Waits for as many permits as asked for, but no more than a caller's part. Whoever waits longer than `patience`, or
    /// waits `waiting_max` times already, goes without.
    pub async fn acquire(
        &self,
        caller: Caller,
        count: usize,
        patience: Duration,
        waiting_max: usize,
    ) -> Option<Permit> {
        let count = u32::try_from(count.min(self.part)).unwrap_or(u32::MAX);
        if self.size == 0 {
            return None;
        }
        let part = self.part_of(caller);
        if part.waiting.load(Ordering::Relaxed) >= waiting_max {
            return None;
        }
        let both = async {
            // A caller waits for its own part first, so that it does not hold what others could use.
            let of_part = part.take(count).await?;
            Some(Permit { of_all: self.all.take(count).await?, of_part: Some(of_part) })
        };
        tokio::time::timeout(patience, both).await.ok().flatten()
    }

    fn part_of(&self, caller: Caller) -> Arc<Shared> {
        let mut parts = self.parts.lock();
        if let Some(part) = parts.by_caller.get(&caller).and_then(Weak::upgrade) {
            return part;
        }
        let part = Shared::new(self.part);
        if parts.by_caller.len() >= parts.clean_at {
            parts.by_caller.retain(|_, part| part.strong_count() > 0);
            parts.clean_at = (parts.by_caller.len() * 2).max(CALLERS_MIN);
        }
        parts.by_caller.insert(caller, Arc::downgrade(&part));
        part
    }
}

/// Somebody who waits, or is about to find out that there is no need to.
struct Waiter<'a>(&'a AtomicUsize);

impl<'a> Waiter<'a> {
    fn new(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Self(waiting)
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Bytes for each permit of response memory.
pub const MEMORY_UNIT: usize = 1024;

/// Permits for so much memory of large responses, of which one caller may have half.
pub fn for_response_memory(bytes: usize) -> Permits {
    let units = bytes / MEMORY_UNIT;
    Permits::new(units, units / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Caller = Caller::User(AccountId(1));
    const TWO: Caller = Caller::User(AccountId(2));

    #[tokio::test]
    async fn nobody_holds_more_than_a_part_and_what_is_given_back_is_there_again() {
        let permits = Permits::new(4, 3);
        let held: Vec<Permit> = (0..3).filter_map(|_| permits.try_acquire(ONE)).collect();
        assert_eq!((held.len(), permits.try_acquire(ONE).is_none()), (3, true));
        let other = permits.try_acquire(TWO).expect("another caller has a part of its own");
        assert!(permits.try_acquire(TWO).is_none(), "there are no more");
        assert!(permits.acquire(TWO, 1, Duration::from_millis(1), 10).await.is_none());
        drop(held);
        assert!(permits.acquire(ONE, 9, Duration::from_secs(9), 10).await.is_some(), "as much as a part, and no more");
        drop(other);
        assert_eq!(permits.available(), 4);
    }

    #[tokio::test]
    async fn only_so_many_wait() {
        let permits = Arc::new(Permits::new(2, 1));
        let (held, other) = (permits.try_acquire(ONE).expect("a permit"), permits.try_acquire(TWO).expect("a permit"));
        let waiting = {
            let permits = permits.clone();
            tokio::spawn(async move { permits.acquire(ONE, 1, Duration::from_secs(60), 1).await.is_some() })
        };
        while !held.is_contended() {
            tokio::task::yield_now().await;
        }
        assert!(!other.is_contended(), "nobody waits for what another caller has");
        assert!(permits.acquire(ONE, 1, Duration::from_secs(60), 1).await.is_none(), "one waits already");
        drop(held);
        assert!(waiting.await.expect("no panic"));
    }

    #[test]
    fn callers_who_hold_nothing_are_forgotten() {
        let permits = Permits::new(10, 2);
        let other = permits.try_acquire(ONE).expect("a permit");
        for number in 0..10 * CALLERS_MIN {
            let caller = Caller::User(AccountId(i64::try_from(number).expect("small") + 10));
            assert!(permits.try_acquire(caller).is_some());
        }
        assert!(permits.parts.lock().by_caller.len() <= CALLERS_MIN);
        let second = permits.try_acquire(ONE);
        assert!(second.is_some() && permits.try_acquire(ONE).is_none(), "what is held is still counted");
        drop(other);
    }

    #[test]
    fn an_ipv6_network_is_one_caller() {
        let caller = |text: &str| Caller::of(&Principal::Anonymous, text.parse().expect("an address"));
        assert_eq!(caller("2001:db8::1"), caller("2001:db8::ffff:1"));
        assert_ne!(caller("2001:db8::1"), caller("2001:db8:0:1::1"));
        assert_eq!(caller("::ffff:10.0.0.1"), caller("10.0.0.1"));
        assert_ne!(caller("10.0.0.1"), caller("10.0.0.2"));
    }
}
