//! Opening a store as one of several nodes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Engine, Location, Node, Schema, Store, TransactionTimes, postgres};
use plinth_base::error::{Error, Result};

/// How long a node waits for another one that may be creating the schema.
const MIGRATION_WAIT_MAX: Duration = Duration::from_secs(20);

/// Connections of a command that has a store to itself.
const IDLE_CONNECTIONS: usize = 2;

impl Store {
    /// Opens the store as the one node that serves it. This fails on a PostgreSQL database that another node serves,
    /// before anything in it is changed; an embedded store is guarded by the lock of its directory.
    pub async fn open_as(location: &Location, node: &Node) -> Result<Self> {
        let Location::Postgres { url, connections_max, epoch_file } = location else {
            return Self::open(location).await;
        };
        let target = postgres::Target::parse(url, epoch_file.as_deref())?;
        let owner = Arc::new(postgres::Ownership::take(&target, node, postgres::Claim::Alone).await?);
        let times = Arc::<TransactionTimes>::default();
        let engine = postgres::Engine::open(target, *connections_max, times.clone(), Some(owner))?;
        engine.migrate().await?;
        let store = Self::with(engine, times);
        store.record_node(node).await?;
        Ok(store)
    }

    /// Opens the store as one of several nodes, which share their packs. The schema is changed only while no node runs.
    pub async fn open_shared(location: &Location, node: &Node) -> Result<Self> {
        let Location::Postgres { url, connections_max, epoch_file } = location else {
            return Err(Error::BadRequest("several nodes need PostgreSQL".into()));
        };
        let target = postgres::Target::parse(url, epoch_file.as_deref())?;
        migrate_alone(&target, node).await?;
        let owner = Arc::new(postgres::Ownership::take(&target, node, postgres::Claim::Shared).await?);
        let times = Arc::<TransactionTimes>::default();
        let engine = postgres::Engine::open(target, *connections_max, times.clone(), Some(owner))?;
        engine.migrate().await?;
        Ok(Self::with(engine, times))
    }

    fn with(engine: postgres::Engine, times: Arc<TransactionTimes>) -> Self {
        let (signal, collections) = (Arc::default(), Arc::default());
        let generations = engine.generation_table().clone();
        Self { engine: Engine::Postgres(engine), times, generations, signal, collections }
    }

    /// Opens a PostgreSQL store that no node serves, and that none can serve as long as this is open.
    pub async fn open_idle(url: &str, node: &Node) -> Result<Self> {
        let target = postgres::Target::parse(url, None)?;
        match postgres::Engine::open_one(target.clone())?.schema().await? {
            Schema::Current => {}
            Schema::Absent => return Err(Error::BadRequest("there is no store in the database".into())),
            Schema::Older(_) => {
                return Err(Error::BadRequest("the store is of an older version: start a server to migrate it".into()));
            }
            Schema::Newer(version) => {
                return Err(Error::Conflict(format!("schema version {version} needs a newer plinth")));
            }
        }
        let owner = Arc::new(postgres::Ownership::take(&target, node, postgres::Claim::Migration).await?);
        let times = Arc::<TransactionTimes>::default();
        let engine = postgres::Engine::open(target, IDLE_CONNECTIONS, times.clone(), Some(owner))?;
        Ok(Self::with(engine, times))
    }

    /// Whether other nodes may use the store at the same time. An embedded store belongs to one process.
    pub fn is_shared(&self) -> bool {
        matches!(self.engine, Engine::Postgres(_))
    }

    /// Whether this process does what is done once for all nodes.
    pub fn leads(&self) -> bool {
        match &self.engine {
            Engine::Sqlite(_) => true,
            Engine::Postgres(engine) => engine.leads(),
        }
    }
}

/// Fails if a PostgreSQL database cannot be served through this URL, because sessions are not its own.
pub async fn check_sessions(location: &Location) -> Result<()> {
    match location {
        Location::Sqlite { .. } => Ok(()),
        Location::Postgres { url, epoch_file, .. } => {
            postgres::check_sessions(&postgres::Target::parse(url, epoch_file.as_deref())?).await
        }
    }
}

/// Creates or migrates the schema if that is needed. Nodes of another version would fail, so there must be none.
async fn migrate_alone(target: &postgres::Target, node: &Node) -> Result<()> {
    let started = Instant::now();
    let engine = postgres::Engine::open_one(target.clone())?;
    loop {
        match engine.schema().await? {
            Schema::Absent | Schema::Older(_) => {}
            Schema::Current | Schema::Newer(_) => return Ok(()),
        }
        if let Some(owner) = postgres::Ownership::try_take_alone(target, node).await? {
            let engine = postgres::Engine::open(target.clone(), 1, Arc::default(), Some(Arc::new(owner)))?;
            return engine.migrate().await;
        }
        // Another node may be doing it.
        if started.elapsed() > MIGRATION_WAIT_MAX {
            return Err(Error::Conflict(
                "the database has the schema of an older version, and nodes of that version are running: stop them first".into(),
            ));
        }
    }
}
