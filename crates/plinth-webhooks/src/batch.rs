//! The deliveries of one hook: claimed in batches, sent in order, and their results stored.

use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use plinth_base::error;
use plinth_base::ids::{DeliveryId, RepoId, WebhookId};
use plinth_core::tokens::Secret;
use plinth_core::webhooks::model::Webhook;
use plinth_core::webhooks::queue::attempts::{self, Results};
use plinth_core::webhooks::queue::model::{Attempt, Claimed};
use plinth_core::webhooks::secret;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::worker::{Stop, Worker};
use crate::{SendError, attempt};

/// Deliveries per claim.
const BATCH_MAX: usize = 64;
/// Claims in a row, before other hooks get the permit.
const BATCHES_MAX: usize = 4;
/// How long a claim lasts. It covers [`START_TIME_MAX`], the timeout of a request, and the transaction for its result.
const CLAIM_SECONDS: i64 = 30;
/// How long after its claim a delivery may be started; what is left then is released.
const START_TIME_MAX: Duration = Duration::from_secs(15);
/// Concurrent requests to one hook.
const IN_FLIGHT_MAX: usize = 4;
/// How long the next delivery of the same repository waits for the one before it. Order matters less than a receiver that
/// would never catch up.
const ORDER_WAIT: Duration = Duration::from_secs(1);
/// A receiver that takes longer is slow, until it has responded sooner.
const SLOW: Duration = Duration::from_secs(2);
/// Pause before results are stored again after a failure.
const RECORD_PAUSE: Duration = Duration::from_millis(500);
/// After this time the claims have ended, and the deliveries are sent again anyway.
const RECORD_TIME_MAX: Duration = Duration::from_secs(20);

/// Sends what is due for a hook.
pub async fn work(worker: Arc<Worker>, hook: WebhookId, stop: Stop) -> error::Result<()> {
    for _ in 0..BATCHES_MAX {
        let Some(hook) = attempts::find_hook(&worker.core, hook).await? else { return Ok(()) };
        if stop.is_set() {
            return Ok(());
        }
        let claimed = attempts::claim(&worker.core, hook.id, BATCH_MAX, CLAIM_SECONDS).await?;
        let is_full = claimed.len() == BATCH_MAX;
        Batch::new(worker.clone(), Arc::new(hook), claimed).send(stop.clone()).await;
        if !is_full {
            break;
        }
    }
    Ok(())
}

struct Batch {
    worker: Arc<Worker>,
    hook: Arc<Webhook>,
    waiting: VecDeque<Claimed>,
    started: Instant,
    /// When the last delivery of a repository was started that has not ended.
    running: HashMap<Option<RepoId>, (DeliveryId, Instant)>,
    results: Vec<Attempt>,
    recording: Option<JoinHandle<()>>,
}

impl Batch {
    fn new(worker: Arc<Worker>, hook: Arc<Webhook>, claimed: Vec<Claimed>) -> Self {
        Self {
            worker,
            hook,
            waiting: claimed.into(),
            started: Instant::now(),
            running: HashMap::new(),
            results: Vec::new(),
            recording: None,
        }
    }

    async fn send(mut self, mut stop: Stop) {
        if self.waiting.is_empty() {
            return;
        }
        let secret = match self.open_secret() {
            Ok(secret) => Arc::new(secret),
            Err(error) => {
                let failed = self.waiting.drain(..).map(|claimed| attempt::not_sent(&self.worker, claimed, error));
                self.results = failed.collect();
                return self.finish().await;
            }
        };
        let mut in_flight = FuturesUnordered::new();
        loop {
            while in_flight.len() < IN_FLIGHT_MAX && self.may_start(&stop) {
                let Some(claimed) = self.next() else { break };
                in_flight.push(run(self.worker.clone(), self.hook.clone(), secret.clone(), claimed));
            }
            if in_flight.is_empty() && (self.waiting.is_empty() || !self.may_start(&stop)) {
                break;
            }
            tokio::select! {
                Some((claimed, attempt)) = in_flight.next() => self.end(claimed, attempt),
                () = tokio::time::sleep_until(self.next_start()), if self.has_next(in_flight.len()) => {}
                () = stop.wait(), if !stop.is_set() => {}
                () = join(&mut self.recording), if self.recording.is_some() => self.record(),
            }
        }
        self.finish().await;
    }

    /// The secret of the hook, if it has one.
    fn open_secret(&self) -> Result<Option<Secret>, SendError> {
        let Some(sealed) = &self.hook.secret else { return Ok(None) };
        let hook = self.hook.id;
        let opened = match self.worker.core.secrets_key.read() {
            Ok(Some(key)) => secret::open(&key, self.hook.owner, sealed).map_err(|error| error.to_string()),
            Ok(None) => Err("the file with the key of secrets is missing".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        opened.map(Some).map_err(|error| {
            tracing::warn!(error, %hook, "could not sign the deliveries of a hook");
            SendError::NoKey
        })
    }

    fn may_start(&self, stop: &Stop) -> bool {
        !stop.is_set() && self.started.elapsed() < START_TIME_MAX
    }

    /// The first delivery that does not have to wait for another of its repository.
    fn next(&mut self) -> Option<Claimed> {
        let waits = |claimed: &Claimed| {
            self.running.get(&claimed.repo).is_some_and(|(_, started)| started.elapsed() < ORDER_WAIT)
        };
        let index = self.waiting.iter().position(|claimed| !waits(claimed))?;
        let claimed = self.waiting.remove(index)?;
        self.running.insert(claimed.repo, (claimed.delivery, Instant::now()));
        Some(claimed)
    }

    fn has_next(&self, in_flight: usize) -> bool {
        !self.waiting.is_empty() && in_flight < IN_FLIGHT_MAX
    }

    /// When a delivery no longer waits for the one before it.
    fn next_start(&self) -> Instant {
        let first = self.running.values().map(|(_, started)| *started + ORDER_WAIT).filter(|end| *end > Instant::now());
        first.min().unwrap_or(Instant::now() + ORDER_WAIT)
    }

    /// Takes the result of a delivery. Without one, its claim ends by itself.
    fn end(&mut self, claimed: Claimed, attempt: Option<Attempt>) {
        if self.running.get(&claimed.repo).is_some_and(|(delivery, _)| *delivery == claimed.delivery) {
            self.running.remove(&claimed.repo);
        }
        if let Some(attempt) = attempt {
            let took = Duration::from_millis(u64::try_from(attempt.duration_ms).unwrap_or_default());
            self.worker.set_slow(self.hook.id, took >= SLOW);
            self.results.push(attempt);
        }
        if self.recording.is_none() {
            self.record();
        }
    }

    /// Starts to store the results so far. Those that arrive meanwhile share the next transaction.
    fn record(&mut self) {
        self.recording = None;
        if !self.results.is_empty() {
            let results = self.take_results(Vec::new());
            self.recording = Some(tokio::spawn(record(self.worker.clone(), results)));
        }
    }

    fn take_results(&mut self, released: Vec<DeliveryId>) -> Results {
        let attempts = std::mem::take(&mut self.results);
        Results { owner: self.hook.owner, hook: self.hook.id, attempts, released }
    }

    /// Stores the last results, and releases what was not sent.
    async fn finish(mut self) {
        if let Some(recording) = self.recording.take() {
            let _ = recording.await;
        }
        let released: Vec<DeliveryId> = self.waiting.drain(..).map(|claimed| claimed.delivery).collect();
        if !self.results.is_empty() || !released.is_empty() {
            let results = self.take_results(released);
            record(self.worker.clone(), results).await;
        }
    }
}

async fn join(task: &mut Option<JoinHandle<()>>) {
    if let Some(task) = task {
        let _ = task.await;
    }
}

async fn run(
    worker: Arc<Worker>,
    hook: Arc<Webhook>,
    secret: Arc<Option<Secret>>,
    claimed: Claimed,
) -> (Claimed, Option<Attempt>) {
    let mut sending = pin!(attempt::send(&worker, &hook, secret.as_ref().as_ref(), claimed));
    let sent = match tokio::time::timeout(SLOW, &mut sending).await {
        Ok(sent) => sent,
        Err(_) => {
            worker.set_slow(hook.id, true);
            sending.await
        }
    };
    let sent = sent.inspect_err(|error| tracing::warn!(%error, hook = %hook.id, "could not read a message"));
    (claimed, sent.ok().flatten())
}

/// Stores results, if need be again, until the claims have ended.
async fn record(worker: Arc<Worker>, results: Results) {
    let started = Instant::now();
    while let Err(error) = attempts::record(&worker.core, results.clone()).await {
        tracing::warn!(%error, hook = %results.hook, "could not store the results of deliveries");
        if started.elapsed() > RECORD_TIME_MAX {
            return;
        }
        tokio::time::sleep(RECORD_PAUSE).await;
    }
}
