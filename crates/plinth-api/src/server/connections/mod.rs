//! All open connections: how many there may be, which one goes when there are too many, and which one has had its time.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use super::activity::{Activity, Timeouts, Waiting};
use crate::settings::Network;

/// Connections beyond the limit that respond to health checks, and with 503 to everything else.
pub const RESERVE_MAX: usize = 64;
/// A connection that was just accepted is not closed for another one before its first request had time to come.
const FIRST_REQUEST_GRACE: Duration = Duration::from_millis(100);
/// How often timeouts are looked at.
pub const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// How many connections there may be.
#[derive(Debug, Clone)]
pub struct Limits {
    pub all: usize,
    /// For each address; an IPv6 network of 64 bits counts as one.
    pub per_peer: usize,
    /// Peers that speak for many clients, to which the limit per peer does not apply.
    pub proxies: Vec<Network>,
}

/// What a connection may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    Served,
    /// Beyond the limit: only health checks get a response.
    Reserve,
}

/// What becomes of a new connection.
pub enum Decision {
    Admitted(Ticket),
    /// There are too many, and all are too new to be closed for this one: it is to be asked for again after this time.
    Later(Duration),
    Rejected,
}

/// Whether there is room for one more.
enum Room {
    Yes,
    Later(Duration),
    No,
}

/// All open connections.
pub struct Connections {
    limits: Limits,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    next_id: u64,
    by_id: HashMap<u64, Arc<Tracked>>,
    served_by_peer: HashMap<IpAddr, usize>,
    reserve: usize,
}

/// One open connection.
pub struct Tracked {
    id: u64,
    network: IpAddr,
    pub admission: Admission,
    activity: Mutex<Activity>,
    close: Notify,
}

impl Tracked {
    pub fn activity(&self) -> MutexGuard<'_, Activity> {
        self.activity.lock()
    }

    /// Ready when the connection has to be closed.
    pub async fn closed(&self) {
        self.close.notified().await;
    }

    fn overdue(&self, now: Instant, timeouts: &Timeouts) -> Option<u64> {
        let why = self.activity().overdue(now, timeouts)?;
        tracing::debug!(why, "a connection is closed");
        Some(self.id)
    }
}

/// A connection in the list, for as long as this lives.
pub struct Ticket {
    connections: Arc<Connections>,
    pub tracked: Arc<Tracked>,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.connections.open.lock().remove(self.tracked.id);
    }
}

impl Connections {
    pub fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self { limits, open: Mutex::default() })
    }

    /// Takes in a new connection. Where there are too many, the one that the server has waited for longest is closed in
    /// its favour; where all are busy it goes to the reserve, and where that is busy too it is rejected.
    pub fn admit(self: &Arc<Self>, peer: IpAddr, now: Instant) -> Decision {
        let network = network_of(peer);
        let mut open = self.open.lock();
        let is_reserve = |one: &Tracked| one.admission == Admission::Reserve;
        let admission = match self.make_room(&mut open, peer, network, now) {
            Room::Yes => Admission::Served,
            Room::Later(pause) => return Decision::Later(pause),
            Room::No if open.reserve < RESERVE_MAX => Admission::Reserve,
            Room::No if matches!(open.evict(now, is_reserve), Room::Yes) => Admission::Reserve,
            Room::No => return Decision::Rejected,
        };
        let tracked = open.insert(network, admission, now);
        Decision::Admitted(Ticket { connections: self.clone(), tracked })
    }

    fn make_room(&self, open: &mut Open, peer: IpAddr, network: IpAddr, now: Instant) -> Room {
        let of_peer = open.served_by_peer.get(&network).copied().unwrap_or_default();
        let is_full = open.by_id.len() - open.reserve >= self.limits.all;
        let served = |one: &Tracked| one.admission == Admission::Served;
        if of_peer >= self.limits.per_peer && !self.limits.proxies.iter().any(|network| network.contains(peer)) {
            // Other peers do not wait for this one.
            return match open.evict(now, |one| served(one) && one.network == network) {
                Room::Later(_) if !is_full => Room::No,
                room => room,
            };
        }
        if is_full { open.evict(now, served) } else { Room::Yes }
    }

    /// Closes the connection that the server has waited for longest, where it waits for any.
    pub fn evict_one(&self, now: Instant) {
        self.open.lock().evict(now, |_| true);
    }

    /// Closes every connection that has had its time.
    pub fn close_expired(&self, now: Instant, timeouts: &Timeouts) {
        let mut open = self.open.lock();
        let overdue: Vec<u64> = open.by_id.values().filter_map(|one| one.overdue(now, timeouts)).collect();
        overdue.into_iter().for_each(|id| open.close(id));
    }

    pub fn len(&self) -> usize {
        self.open.lock().by_id.len()
    }
}

impl Open {
    fn insert(&mut self, network: IpAddr, admission: Admission, now: Instant) -> Arc<Tracked> {
        let id = self.next_id;
        self.next_id += 1;
        match admission {
            Admission::Served => *self.served_by_peer.entry(network).or_default() += 1,
            Admission::Reserve => self.reserve += 1,
        }
        let activity = Mutex::new(Activity::new(now));
        let tracked = Arc::new(Tracked { id, network, admission, activity, close: Notify::new() });
        self.by_id.insert(id, tracked.clone());
        tracked
    }

    /// Closes the one of them that the server has waited for longest. Nobody waits for the grace of a new connection while
    /// there is another one to close: otherwise a few that connect again and again would let in ten others per second.
    fn evict(&mut self, now: Instant, may_go: impl Fn(&Tracked) -> bool) -> Room {
        let mut first = None;
        let mut shortest_grace: Option<Duration> = None;
        for one in self.by_id.values().filter(|one| may_go(one)) {
            let Some((kind, since)) = one.activity().waiting(now) else { continue };
            let grace = FIRST_REQUEST_GRACE.saturating_sub(now.saturating_duration_since(since));
            if kind == Waiting::First && !grace.is_zero() {
                shortest_grace = Some(shortest_grace.map_or(grace, |other| other.min(grace)));
            } else if first.is_none_or(|other| (kind, since, one.id) < other) {
                first = Some((kind, since, one.id));
            }
        }
        match (first, shortest_grace) {
            (Some((_, _, id)), _) => {
                self.close(id);
                Room::Yes
            }
            (None, Some(grace)) => Room::Later(grace),
            (None, None) => Room::No,
        }
    }

    /// Out of the list at once, since its task ends only a moment later.
    fn close(&mut self, id: u64) {
        if let Some(tracked) = self.remove(id) {
            tracked.close.notify_one();
        }
    }

    fn remove(&mut self, id: u64) -> Option<Arc<Tracked>> {
        let tracked = self.by_id.remove(&id)?;
        match tracked.admission {
            Admission::Reserve => self.reserve -= 1,
            Admission::Served => {
                if let Some(count) = self.served_by_peer.get_mut(&tracked.network) {
                    *count -= 1;
                    if *count == 0 {
                        self.served_by_peer.remove(&tracked.network);
                    }
                }
            }
        }
        Some(tracked)
    }
}

/// The address, or the network of 64 bits that a holder of IPv6 addresses has at least.
fn network_of(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
    }
}

#[cfg(test)]
mod tests;
