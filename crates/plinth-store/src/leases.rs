//! Leases of rate limits from a database that several nodes share.

use std::time::Duration;

use super::{Engine, Store};
use plinth_base::error::{Error, Result};

/// What a node asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseRequest {
    /// Whose limit, and which.
    pub key: String,
    /// The length of a window.
    pub milliseconds: i64,
    pub limit: i64,
    /// Less than this is of no use.
    pub needed: i64,
    pub wanted: i64,
}

/// What a node got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub key: String,
    /// Nothing if less is left than was needed.
    pub granted: i64,
    /// What all nodes have got in this window.
    pub leased: i64,
    /// The end of the window, by the clock of the database. It identifies the window.
    pub ends_at: i64,
    pub ends_in: Duration,
}

/// What a node has leased and does not use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReturnedLease {
    pub key: String,
    pub ends_at: i64,
    pub unused: i64,
}

impl Store {
    /// Leases of different keys. One transaction of one statement, which survives a crash of this node, and may not survive
    /// one of the database: there is nothing to lose but a count.
    pub async fn lease(&self, requests: &[LeaseRequest]) -> Result<Vec<Lease>> {
        self.postgres()?.lease(requests).await
    }

    pub async fn give_back(&self, unused: &[ReturnedLease]) -> Result<()> {
        self.postgres()?.give_back(unused).await
    }

    /// The current window of a key, if there is one.
    pub async fn find_window(&self, key: &str) -> Result<Option<Lease>> {
        self.postgres()?.find_window(key).await
    }

    fn postgres(&self) -> Result<&super::postgres::Engine> {
        match &self.engine {
            Engine::Postgres(engine) => Ok(engine),
            Engine::Sqlite(_) => Err(Error::internal("an embedded store has one node, which needs no leases")),
        }
    }
}
