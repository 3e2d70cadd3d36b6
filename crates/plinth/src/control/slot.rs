//! Instances that can be replaced while their address stays the same.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;

use super::faults::Faults;
use super::requests::RequestLog;
use super::template::Template;
use crate::config::Options;
use crate::instance::{Instance, Opened};
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};

const SNAPSHOTS_MAX: usize = 100;

/// A running instance with what tests have set for it.
pub struct Current {
    pub instance: Instance,
    pub faults: Arc<Faults>,
    pub requests: RequestLog,
}

impl Current {
    pub fn start(opened: Opened, options: &Options, url: &str) -> Self {
        Self::start_with(opened, options, url, Duration::ZERO)
    }

    /// The periodic tasks of the instance wait for `delay`.
    pub fn start_with(opened: Opened, options: &Options, url: &str, delay: Duration) -> Self {
        let faults = Arc::<Faults>::default();
        let instance = opened.start_with(options, url, Some(faults.clone()), delay);
        Self { instance, faults, requests: RequestLog::default() }
    }

    pub fn clock(&self) -> &Clock {
        &self.instance.app.clock
    }
}

/// A state to return to, with the clock that belongs to it.
#[derive(Clone)]
pub struct SavedState {
    pub template: Arc<Template>,
    pub clock: Clock,
}

/// An isolated service with an address of its own.
pub struct Slot {
    pub name: String,
    pub url: String,
    current: ArcSwap<Current>,
    snapshots: Mutex<BTreeMap<String, SavedState>>,
    closed: AtomicBool,
    /// Locked while the instance is replaced or copied.
    pub turn: tokio::sync::Mutex<()>,
}

impl Slot {
    pub fn new(name: String, url: String, current: Current) -> Self {
        Self {
            name,
            url,
            current: ArcSwap::from_pointee(current),
            snapshots: Mutex::default(),
            closed: AtomicBool::new(false),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// Ends the instance. Requests on connections that are still open get no response.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.current().instance.abort();
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    pub fn current(&self) -> Arc<Current> {
        self.current.load_full()
    }

    /// From now on requests go to another instance. Those in flight end with the old one.
    pub fn replace(&self, current: Current) {
        let old = self.current.swap(Arc::new(current));
        old.instance.abort();
        // Closing its database and removing its directory take longer than the rest of a reset, and nobody waits for them.
        tokio::task::spawn_blocking(move || drop(old));
    }

    pub fn save(&self, name: String, state: SavedState) -> Result<()> {
        let mut snapshots = self.snapshots.lock();
        if snapshots.len() >= SNAPSHOTS_MAX && !snapshots.contains_key(&name) {
            return Err(Error::unprocessable(format!("there are at most {SNAPSHOTS_MAX} snapshots")));
        }
        snapshots.insert(name, state);
        Ok(())
    }

    pub fn find_snapshot(&self, name: &str) -> Option<SavedState> {
        self.snapshots.lock().get(name).cloned()
    }

    pub fn delete_snapshot(&self, name: &str) -> Result<()> {
        self.snapshots.lock().remove(name).map(drop).ok_or(Error::NotFound)
    }

    pub fn snapshot_names(&self) -> Vec<String> {
        self.snapshots.lock().keys().cloned().collect()
    }
}
