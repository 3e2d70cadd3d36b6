//! Idle connections to receivers, so that a fast receiver does not cost a connection for each delivery.
//!
//! A connection is used again only for the same hook, origin and verification. It goes to an address that was checked when
//! it was made, so what the name of the host resolves to meanwhile does not matter.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::SendRequest;
use parking_lot::Mutex;
use plinth_base::ids::WebhookId;

use crate::target::Origin;
use crate::tls::Verification;

/// How long a connection may be idle. Most receivers close theirs after a minute.
const IDLE_TIME_MAX: Duration = Duration::from_secs(30);
const IDLE_PER_KEY_MAX: usize = 4;
const IDLE_MAX: usize = 256;

/// What a connection may be used for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pub hook: WebhookId,
    pub origin: Origin,
    pub verification: Verification,
}

pub type Connection = SendRequest<Full<Bytes>>;

#[derive(Default)]
pub struct Pool(Mutex<Idle>);

#[derive(Default)]
struct Idle {
    by_key: HashMap<Key, Vec<(Connection, Instant)>>,
    count: usize,
}

impl Pool {
    /// The connection that was used last, if one is open.
    pub fn take(&self, key: &Key) -> Option<Connection> {
        let mut idle = self.0.lock();
        loop {
            let connections = idle.by_key.get_mut(key)?;
            let taken = connections.pop();
            if connections.is_empty() {
                idle.by_key.remove(key);
            }
            let (connection, since) = taken?;
            idle.count -= 1;
            if !connection.is_closed() && since.elapsed() < IDLE_TIME_MAX {
                return Some(connection);
            }
        }
    }

    /// Stores a connection for later use, or closes it if there are too many.
    pub fn put(&self, key: Key, connection: Connection) {
        let mut idle = self.0.lock();
        if idle.count >= IDLE_MAX {
            idle.remove_old();
        }
        let count = idle.count;
        let connections = idle.by_key.entry(key).or_default();
        if count < IDLE_MAX && connections.len() < IDLE_PER_KEY_MAX {
            connections.push((connection, Instant::now()));
            idle.count += 1;
        } else if connections.is_empty() {
            idle.by_key.retain(|_, connections| !connections.is_empty());
        }
    }

    /// Closes connections that have been idle for too long.
    pub fn clean(&self) {
        self.0.lock().remove_old();
    }
}

impl Idle {
    fn remove_old(&mut self) {
        for connections in self.by_key.values_mut() {
            connections.retain(|(connection, since)| !connection.is_closed() && since.elapsed() < IDLE_TIME_MAX);
        }
        self.by_key.retain(|_, connections| !connections.is_empty());
        self.count = self.by_key.values().map(Vec::len).sum();
    }
}
