//! The pool of connections, all to the server of the node's own session.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{self, Metrics, QueueMode, RecycleError, RecycleResult, Timeouts};
use deadpool_postgres::ClientWrapper;

use super::hosts::Connected;
use super::monitor::Monitor;
use super::owner::Ownership;
use super::target::Target;
use crate::DbError;
use plinth_base::error::{Error, Result};

const POOL_WAIT_TIMEOUT: Duration = Duration::from_secs(4);
/// A connection that was used within this time is used again without a check.
const UNCHECKED_MAX: Duration = Duration::from_secs(1);
const CHECK_TIMEOUT: Duration = Duration::from_secs(1);
/// The server rejects every change outside of a write transaction. This is set after connecting and not in the options of
/// the session, since the driver reads it to distinguish a primary from a standby (`target_session_attrs`).
const READ_ONLY: &str = "set default_transaction_read_only = on";

pub type Pool = managed::Pool<Manager>;
pub type Object = managed::Object<Manager>;

pub struct Manager {
    target: Target,
    monitor: Arc<Monitor>,
    owner: Option<Arc<Ownership>>,
}

/// A connection, and the server at its other end.
pub struct Pooled {
    client: ClientWrapper,
    pub(super) server: Arc<str>,
}

impl Deref for Pooled {
    type Target = ClientWrapper;

    fn deref(&self) -> &ClientWrapper {
        &self.client
    }
}

impl DerefMut for Pooled {
    fn deref_mut(&mut self) -> &mut ClientWrapper {
        &mut self.client
    }
}

pub(super) fn create(
    target: &Target,
    connections_max: usize,
    monitor: Arc<Monitor>,
    owner: Option<Arc<Ownership>>,
) -> Result<Pool> {
    let limit = Some(target.connect_timeout);
    let timeouts = Timeouts { wait: Some(POOL_WAIT_TIMEOUT), create: limit, recycle: limit };
    Pool::builder(Manager { target: target.clone(), monitor, owner })
        .max_size(connections_max)
        .timeouts(timeouts)
        // The connection that was used last has prepared and planned the most statements.
        .queue_mode(QueueMode::Lifo)
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|error| Error::Internal(error.into()))
}

impl managed::Manager for Manager {
    type Type = Pooled;
    type Error = DbError;

    async fn create(&self) -> Result<Pooled, DbError> {
        let Connected { client, driver, server, .. } = self.target.connect().await?;
        let client = ClientWrapper::new(client, driver.release());
        client.batch_execute(READ_ONLY).await?;
        Ok(Pooled { client, server })
    }

    async fn recycle(&self, pooled: &mut Pooled, metrics: &Metrics) -> RecycleResult<DbError> {
        if pooled.is_closed() {
            return Err(RecycleError::message("the connection is closed"));
        }
        if self.monitor.is_suspect(metrics.created) {
            return Err(RecycleError::message("a connection from before the database stopped responding"));
        }
        if self.owner.as_ref().is_some_and(|owner| owner.is_elsewhere(&pooled.server)) {
            return Err(RecycleError::message("a connection to another server than the owner's"));
        }
        if metrics.last_used() < UNCHECKED_MAX {
            return Ok(());
        }
        match tokio::time::timeout(CHECK_TIMEOUT, pooled.simple_query("")).await {
            Ok(response) => response.map(drop).map_err(|error| RecycleError::Backend(error.into())),
            Err(_) => {
                self.monitor.suspect();
                Err(RecycleError::message("an idle connection does not respond"))
            }
        }
    }
}
