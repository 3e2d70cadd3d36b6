//! What was found out a moment ago and still holds (docs/decisions/0072-kept-answers.md).
//!
//! Everything kept has the stamp of the moment at which it was found: the state of the store and the second of the
//! clock. It is given again only to a request that finds the same stamp, so it is never older than that request.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use parking_lot::Mutex;

use super::conditional::EntityTag;
use super::exchange::Exchange;
use super::reply::Facts;
use crate::app::App;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::tokens::Principal;

const SHARDS: usize = 16;

/// The moment at which something held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    state: u64,
    second: Timestamp,
}

impl Stamp {
    /// The stamp of now; nothing where the store cannot tell its state, or where nothing is to be kept.
    pub fn now(app: &App) -> Result<Option<Self>> {
        if app.settings.kept_bytes_max == 0 {
            return Ok(None);
        }
        // The second first: what is found afterwards is of this second or of a later one.
        let second = app.clock.now();
        Ok(app.store.state()?.map(|state| Self { state, second }))
    }
}

/// Credentials and answers of this moment.
pub struct Kept {
    pub principals: Moment<[u8; 32], Arc<Principal>>,
    pub answers: Moment<Vec<u8>, Arc<Answer>>,
}

impl Kept {
    pub fn new(bytes_max: usize) -> Self {
        Self { principals: Moment::new(bytes_max / 8), answers: Moment::new(bytes_max) }
    }
}

/// Values of one moment, spread over several locks; with the next moment they are gone.
pub struct Moment<K, V> {
    hasher: RandomState,
    bytes_max: usize,
    shards: [Mutex<Shard<K, V>>; SHARDS],
}

struct Shard<K, V> {
    stamp: Option<Stamp>,
    bytes: usize,
    values: HashMap<K, V>,
}

impl<K: Eq + Hash, V: Clone> Moment<K, V> {
    fn new(bytes_max: usize) -> Self {
        let shard = || Mutex::new(Shard { stamp: None, bytes: 0, values: HashMap::new() });
        Self { hasher: RandomState::new(), bytes_max: bytes_max / SHARDS, shards: std::array::from_fn(|_| shard()) }
    }

    pub fn find<Q: Eq + Hash + ?Sized>(&self, stamp: Stamp, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let mut shard = self.shard(key).lock();
        shard.turn_to(stamp);
        shard.values.get(key).cloned()
    }

    /// Keeps a value of about this size, where there is room.
    pub fn keep(&self, stamp: Stamp, key: K, value: V, bytes: usize) {
        let mut shard = self.shard(&key).lock();
        shard.turn_to(stamp);
        if shard.bytes + bytes <= self.bytes_max {
            shard.bytes += bytes;
            shard.values.insert(key, value);
        }
    }

    fn shard<Q: Hash + ?Sized>(&self, key: &Q) -> &Mutex<Shard<K, V>> {
        &self.shards[self.hasher.hash_one(key) as usize % SHARDS]
    }
}

impl<K, V> Shard<K, V> {
    /// Forgets what is of another moment, also of a later one: a clock can be set back.
    fn turn_to(&mut self, stamp: Stamp) {
        if self.stamp != Some(stamp) {
            *self = Shard { stamp: Some(stamp), bytes: 0, values: HashMap::new() };
        }
    }
}

/// A good answer, before anyone's preconditions are looked at.
pub struct Answer {
    headers: HeaderMap,
    facts: Facts,
    body: Bytes,
}

impl Answer {
    /// Takes note of an answer that can be given again: whole, and good.
    pub fn of(response: &Response, facts: &Facts) -> Option<Self> {
        let body = facts.body.clone().filter(|_| response.status() == StatusCode::OK)?;
        Some(Self { headers: response.headers().clone(), facts: facts.clone(), body })
    }

    pub fn again(&self) -> (Response, Facts) {
        let mut response = Response::new(Body::from(self.body.clone()));
        *response.headers_mut() = self.headers.clone();
        (response, self.facts.clone())
    }

    pub fn size(&self) -> usize {
        // The headers of an answer are few and short.
        const HEADERS_SIZE: usize = 1024;
        self.body.len() + HEADERS_SIZE
    }
}

/// All that an answer depends on besides the moment.
pub fn key(exchange: &Exchange) -> Vec<u8> {
    let mut key = EntityTag::who_asks_how(exchange);
    for part in [&exchange.path, &exchange.query] {
        key.push(0);
        key.extend_from_slice(part.as_bytes());
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(state: u64, second: i64) -> Stamp {
        Stamp { state, second: Timestamp(second) }
    }

    #[test]
    fn what_is_kept_holds_for_its_own_moment_only() {
        let moment = Moment::new(SHARDS * 100);
        moment.keep(at(1, 1), "key", "value", 10);
        assert_eq!(moment.find(at(1, 1), "key"), Some("value"));
        for other in [at(2, 1), at(1, 2), at(1, 0)] {
            moment.keep(at(1, 1), "key", "value", 10);
            assert_eq!(moment.find(other, "key"), None);
            assert_eq!(moment.find(at(1, 1), "key"), None, "it is forgotten, since a clock can be set back");
        }
    }

    #[test]
    fn there_is_only_so_much_room() {
        let moment = Moment::new(SHARDS * 100);
        moment.keep(at(1, 1), "key", "large", 101);
        assert_eq!(moment.find(at(1, 1), "key"), None);
        for key in 0..1000_u64 {
            moment.keep(at(1, 1), Box::leak(key.to_string().into_boxed_str()), "small", 50);
        }
        let kept: usize = moment.shards.iter().map(|shard| shard.lock().values.len()).sum();
        assert!(kept <= 2 * SHARDS, "{kept}");
    }
}
