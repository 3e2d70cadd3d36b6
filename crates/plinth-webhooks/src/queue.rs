//! The background task: dispatches events, starts a task for each hook that has something to send, and cleans up.
//!
//! A slow or dead receiver must not delay others. Each hook has a task of its own, and a hook whose receiver does not
//! respond soon makes room for the others.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use plinth_base::error::Result;
use plinth_base::ids::WebhookId;
use plinth_core::Core;
use plinth_core::webhooks::queue::attempts::{self, DUE_HOOKS_MAX};
use plinth_core::webhooks::queue::dispatch::{Dispatcher, PayloadRenderer};
use plinth_core::webhooks::queue::{count_pending, prune, release_all};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

use crate::batch;
use crate::client::Client;
use crate::fault::DeliveryFaults;
use crate::metrics::Metrics;
use crate::worker::{DeliverySettings, Stop, Worker};

/// Hooks that are sent to at the same time, without those whose receiver is slow.
const FAST_HOOKS_MAX: usize = 64;
/// Hooks whose receiver is slow and that are sent to at the same time. They take little but their connections.
const SLOW_HOOKS_MAX: usize = 192;
/// How often the queue is read without a signal: for attempts that have become due, and for what other nodes record.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(15);
/// How long a stopping service waits for requests in flight, which have a timeout of their own.
const STOP_TIME_MAX: Duration = Duration::from_secs(12);

/// Everything that deliveries need.
pub struct Deliveries {
    pub core: Core,
    pub renderer: Arc<dyn PayloadRenderer>,
    pub client: Client,
    pub settings: DeliverySettings,
    pub metrics: Metrics,
    pub faults: Option<Arc<dyn DeliveryFaults>>,
}

/// The running tasks.
pub struct Running {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Running {
    /// Ends at once, as a killed process does.
    pub fn abort(self) {
        self.task.abort();
    }

    /// Starts no more deliveries, waits for those in flight, and releases the others.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        if tokio::time::timeout(STOP_TIME_MAX, self.task).await.is_err() {
            tracing::warn!("stopped with deliveries in flight; they are sent again");
        }
    }
}

impl Deliveries {
    pub fn start(self) -> Running {
        let Self { core, renderer, client, settings, metrics, faults } = self;
        let (sent, slow) = (Arc::default(), Mutex::default());
        let worker = Arc::new(Worker { core, client, settings, metrics, faults, sent, slow });
        let (stop, stopped) = watch::channel(false);
        Running { stop, task: tokio::spawn(Queue::new(worker, renderer, Stop(stopped)).run()) }
    }
}

struct Queue {
    worker: Arc<Worker>,
    renderer: Arc<dyn PayloadRenderer>,
    dispatcher: Dispatcher,
    stop: Stop,
    /// A task for each hook that is sent to.
    tasks: JoinSet<(WebhookId, Result<()>)>,
    active: HashSet<WebhookId>,
    /// The last hook that was looked at.
    cursor: WebhookId,
    next_maintenance: Instant,
    /// Whether a task has failed since the last round.
    has_failed: bool,
}

/// What to do after one round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// There is more to do.
    Continue,
    /// Until something happens.
    Wait,
    /// The store failed, so nothing else would succeed at once.
    Pause,
}

impl Queue {
    fn new(worker: Arc<Worker>, renderer: Arc<dyn PayloadRenderer>, stop: Stop) -> Self {
        Self {
            worker,
            renderer,
            dispatcher: Dispatcher::default(),
            stop,
            tasks: JoinSet::new(),
            active: HashSet::new(),
            cursor: WebhookId(0),
            next_maintenance: Instant::now(),
            has_failed: false,
        }
    }

    async fn run(mut self) {
        // The lock of the data directory says that the process which made these claims is gone.
        if !self.worker.core.is_shared_store()
            && let Err(error) = release_all(&self.worker.core).await
        {
            tracing::warn!(%error, "could not end the claims of the last run; they end by themselves");
        }
        if self.worker.settings.is_paused() {
            tracing::info!("webhooks are paused: events are stored and not sent");
        }
        let signal = self.worker.core.webhook_signal().clone();
        let mut next = Next::Continue;
        while !self.stop.is_set() {
            if next == Next::Pause {
                let mut stop = self.stop.clone();
                tokio::select! {
                    () = tokio::time::sleep(POLL_INTERVAL) => {}
                    () = stop.wait() => {}
                }
            } else if next == Next::Wait {
                tokio::select! {
                    () = signal.notified() => {}
                    Some(ended) = self.tasks.join_next() => self.end(ended),
                    () = tokio::time::sleep(POLL_INTERVAL) => {}
                    () = self.stop.wait() => {}
                }
            }
            while let Some(ended) = self.tasks.try_join_next() {
                self.end(ended);
            }
            next = self.round().await;
        }
        while self.tasks.join_next().await.is_some() {}
    }

    fn end(&mut self, ended: Result<(WebhookId, Result<()>), tokio::task::JoinError>) {
        match ended {
            Ok((hook, outcome)) => {
                self.active.remove(&hook);
                if let Err(error) = outcome {
                    self.has_failed = true;
                    tracing::warn!(%error, %hook, "could not send the deliveries of a hook; they are tried again");
                }
            }
            // It does not say which hook, so all that have no task any more are found by the next round.
            Err(error) => {
                tracing::error!(%error, "a task for deliveries failed");
                self.active.clear();
            }
        }
    }

    async fn round(&mut self) -> Next {
        let is_paused = self.worker.settings.is_paused();
        let (dispatched, started) = if is_paused {
            (Ok(0), Ok(()))
        } else {
            (self.dispatcher.dispatch(&self.worker.core, &*self.renderer).await, self.start_due().await)
        };
        let maintained = self.maintain().await;
        let failed = dispatched.as_ref().err().or(started.as_ref().err()).or(maintained.as_ref().err());
        match failed {
            Some(error) => {
                tracing::warn!(%error, "could not work on the queue of webhooks; the next round tries again");
                Next::Pause
            }
            None if std::mem::take(&mut self.has_failed) => Next::Pause,
            None if matches!(dispatched, Ok(1..)) => Next::Continue,
            None => Next::Wait,
        }
    }

    /// Starts tasks for hooks that have something to send, beginning after the last one that was looked at.
    async fn start_due(&mut self) -> Result<()> {
        let start = self.cursor;
        loop {
            let found = attempts::list_hooks(&self.worker.core, self.cursor).await?;
            let is_last = found.len() < DUE_HOOKS_MAX;
            for due in found {
                if self.active.len() >= FAST_HOOKS_MAX + SLOW_HOOKS_MAX {
                    return Ok(());
                }
                if due.is_due && !self.start(due.hook) && !self.worker.is_slow(due.hook) {
                    // The next round begins with it.
                    return Ok(());
                }
                self.cursor = due.hook;
            }
            if is_last && start == WebhookId(0) {
                self.cursor = WebhookId(0);
                return Ok(());
            }
            if is_last {
                self.cursor = WebhookId(0);
                return Box::pin(self.start_due()).await;
            }
        }
    }

    /// Starts a task for a hook, unless it has one. Returns whether there was room for it.
    fn start(&mut self, hook: WebhookId) -> bool {
        if self.active.contains(&hook) {
            return true;
        }
        let slow = self.active.iter().filter(|hook| self.worker.is_slow(**hook)).count();
        let has_room = match self.worker.is_slow(hook) {
            true => slow < SLOW_HOOKS_MAX,
            false => self.active.len() - slow < FAST_HOOKS_MAX,
        };
        if has_room {
            self.active.insert(hook);
            let (worker, stop) = (self.worker.clone(), self.stop.clone());
            self.tasks.spawn(async move { (hook, batch::work(worker, hook, stop).await) });
        }
        has_room
    }

    /// Deletes what is old, and counts what waits.
    async fn maintain(&mut self) -> Result<()> {
        if Instant::now() < self.next_maintenance {
            return Ok(());
        }
        self.next_maintenance = Instant::now() + MAINTENANCE_INTERVAL;
        self.worker.client.close_idle();
        let seconds = i64::try_from(self.worker.settings.retention.as_secs()).unwrap_or(i64::MAX);
        // One transaction at a time; the next round continues if there is more.
        let pruned = prune(&self.worker.core, seconds).await?;
        if pruned > 0 {
            self.next_maintenance = Instant::now();
        }
        self.worker.metrics.set_pending(count_pending(&self.worker.core).await?);
        Ok(())
    }
}
