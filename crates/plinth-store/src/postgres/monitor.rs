//! Whether the database responds: probed every second on a connection of its own.
//!
//! A host that fails over without a reset leaves connections behind that stay open and never respond. When one connection
//! does not respond, every connection from before that moment is suspect: those in the pool are not used again, and
//! running statements get a short time to finish.

use std::sync::Weak;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::watch;

use super::Shared;
use super::hosts::Connected;
use super::target::Target;
use crate::DbError;
use plinth_base::error::{Error, Result};

const PROBE_INTERVAL: Duration = Duration::from_secs(1);
const PROBE_INTERVAL_WHEN_AWAY: Duration = Duration::from_millis(250);
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);
/// An older result is not used: the monitor itself does not get to run.
const RESULT_AGE_MAX: Duration = Duration::from_secs(5);
/// How long a statement may still take after its connection became suspect.
const SUSPECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The result of the last probe, and which connections are suspect.
pub(super) struct Monitor {
    last: Mutex<Last>,
    /// When a connection last failed to respond.
    suspect_since: watch::Sender<Option<Instant>>,
}

struct Last {
    at: Instant,
    failure: Option<String>,
}

impl Default for Monitor {
    fn default() -> Self {
        let last = Last { at: Instant::now(), failure: None };
        Self { last: Mutex::new(last), suspect_since: watch::channel(None).0 }
    }
}

impl Monitor {
    /// What the last probe found.
    pub fn check(&self) -> Result<()> {
        let last = self.last.lock();
        match &last.failure {
            Some(failure) => Err(Error::Unavailable(failure.clone())),
            None if last.at.elapsed() > RESULT_AGE_MAX => {
                Err(Error::Unavailable(format!("the database was last probed {} s ago", last.at.elapsed().as_secs())))
            }
            None => Ok(()),
        }
    }

    /// Makes every connection that exists now suspect.
    pub fn suspect(&self) {
        self.suspect_since.send_replace(Some(Instant::now()));
    }

    /// Whether a connection of this age may still be used.
    pub fn is_suspect(&self, created: Instant) -> bool {
        self.suspect_since.borrow().is_some_and(|at| created <= at)
    }

    /// Ready when a statement that begins now has waited too long on a suspect connection.
    pub async fn suspected_for_long(&self) {
        let mut suspect_since = self.suspect_since.subscribe();
        // The sender lives as long as this monitor.
        let _ = suspect_since.changed().await;
        tokio::time::sleep(SUSPECT_TIMEOUT).await;
    }

    fn note(&self, outcome: Result<(), String>) {
        let mut last = self.last.lock();
        let failure = outcome.err();
        match (&last.failure, &failure) {
            (None, Some(why)) => tracing::warn!(%why, "the database does not respond"),
            (Some(_), None) => tracing::info!("the database responds again"),
            _ => {}
        }
        *last = Last { at: Instant::now(), failure };
    }
}

/// Probes until the engine is dropped.
pub(super) async fn run(engine: Weak<Shared>, target: Target) {
    let mut connection = None;
    loop {
        let outcome = tokio::time::timeout(PROBE_TIMEOUT, probe(&target, &mut connection)).await;
        let Some(engine) = engine.upgrade() else { return };
        let outcome = outcome.unwrap_or_else(|_| {
            engine.monitor.suspect();
            Err(format!("no response within {} s", PROBE_TIMEOUT.as_secs()))
        });
        let is_away = outcome.is_err();
        engine.monitor.note(outcome);
        engine.commits.probe_if_stalled(&target, &engine.monitor);
        drop(engine);
        if is_away {
            connection = None;
        }
        let interval = if is_away { PROBE_INTERVAL_WHEN_AWAY } else { PROBE_INTERVAL };
        match &mut connection {
            // When the server closes the connection, probe again at once.
            Some(connected) => connected.driver.closed_within(interval).await,
            None => tokio::time::sleep(interval).await,
        }
        connection = connection.filter(|connected| !connected.driver.is_closed());
    }
}

async fn probe(target: &Target, connection: &mut Option<Connected>) -> Result<(), String> {
    let connected = match connection {
        Some(connected) => connected,
        None => connection.insert(target.connect().await.map_err(|error| error.to_string())?),
    };
    let probed = connected.client.simple_query("select 1").await;
    probed.map(drop).map_err(|error| DbError::from(error).to_string())
}
