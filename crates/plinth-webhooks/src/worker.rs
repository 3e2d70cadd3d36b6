//! What all tasks of deliveries share.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use plinth_base::ids::WebhookId;
use plinth_core::Core;
use tokio::sync::{Notify, watch};

use crate::DeliveryFaults;
use crate::address::AllowedAddresses;
use crate::client::Client;
use crate::metrics::Metrics;

/// How many slow hooks are known. More are treated as if they were not slow.
const SLOW_KNOWN_MAX: usize = 10_000;

/// What operators can set.
#[derive(Debug, Clone)]
pub struct DeliverySettings {
    /// Attempts per delivery. With none, nothing is sent.
    pub attempts_max: i64,
    /// How long messages and deliveries are stored.
    pub retention: Duration,
    pub allowed: AllowedAddresses,
}

impl DeliverySettings {
    /// Whether events are stored and not sent.
    pub fn is_paused(&self) -> bool {
        self.attempts_max == 0
    }
}

/// Whether the tasks are to end.
#[derive(Clone)]
pub struct Stop(pub watch::Receiver<bool>);

impl Stop {
    /// Also if nobody can stop the tasks any more.
    pub fn is_set(&self) -> bool {
        *self.0.borrow() || self.0.has_changed().is_err()
    }

    pub async fn wait(&mut self) {
        let _ = self.0.wait_for(|stopped| *stopped).await;
    }
}

/// What all tasks share.
pub struct Worker {
    pub core: Core,
    pub client: Client,
    pub settings: DeliverySettings,
    pub metrics: Metrics,
    pub faults: Option<Arc<dyn DeliveryFaults>>,
    /// Notified after each request.
    pub sent: Arc<Notify>,
    /// Hooks whose receiver is slow at this moment, or was the last time.
    pub slow: Mutex<HashSet<WebhookId>>,
}

impl Worker {
    pub fn set_slow(&self, hook: WebhookId, is_slow: bool) {
        let mut slow = self.slow.lock();
        if !is_slow {
            slow.remove(&hook);
        } else if slow.len() < SLOW_KNOWN_MAX {
            slow.insert(hook);
        }
    }

    pub fn is_slow(&self, hook: WebhookId) -> bool {
        self.slow.lock().contains(&hook)
    }
}
