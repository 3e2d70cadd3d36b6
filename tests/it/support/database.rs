//! A store for each test: a file, or a database of the cluster that the environment names.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use plinth_store::{Durability, Location, Store};
use tokio_postgres::error::SqlState;

/// Set by `cargo xtask test` for the second run.
const POSTGRES: &str = "PLINTH_TEST_POSTGRES";
static COUNT: AtomicU32 = AtomicU32::new(0);

/// The database of one test.
pub enum TestDatabase {
    Sqlite(tempfile::TempDir),
    Postgres { maintenance_url: String, name: String },
}

impl TestDatabase {
    pub async fn create() -> Self {
        let Ok(maintenance_url) = std::env::var(POSTGRES) else {
            return Self::Sqlite(tempfile::tempdir().expect("a temporary directory can be created"));
        };
        Self::create_on(maintenance_url).await
    }

    /// A database of a certain cluster.
    pub async fn create_on(maintenance_url: String) -> Self {
        let name = format!("plinth_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst));
        execute(&maintenance_url, &format!("create database {name}")).await;
        Self::Postgres { maintenance_url, name }
    }

    pub fn location(&self) -> Location {
        match self {
            Self::Sqlite(directory) => {
                Location::Sqlite { file: directory.path().join("plinth.db"), durability: Durability::None }
            }
            Self::Postgres { maintenance_url, name } => {
                let (server, _) = maintenance_url.rsplit_once('/').expect("the URL names a database");
                Location::Postgres { url: format!("{server}/{name}"), connections_max: 8, epoch_file: None }
            }
        }
    }

    /// The URL of the database on PostgreSQL.
    pub fn url(&self) -> Option<String> {
        match self.location() {
            Location::Postgres { url, .. } => Some(url),
            Location::Sqlite { .. } => None,
        }
    }

    pub async fn open(&self) -> Store {
        Store::open(&self.location()).await.expect("a new store opens")
    }
}

async fn execute(url: &str, sql: &str) {
    let (client, connection) = loop {
        match tokio_postgres::connect(url, tokio_postgres::NoTls).await {
            // A cluster that was just started.
            Err(error) if error.code() == Some(&SqlState::CANNOT_CONNECT_NOW) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            connected => break connected.expect("the test cluster responds"),
        }
    };
    let connection = tokio::spawn(connection);
    client.batch_execute(sql).await.expect("the test cluster executes the statement");
    drop(client);
    let _ = connection.await;
}

/// The cluster outlives the test, so the database is dropped.
impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Self::Postgres { maintenance_url, name } = self else { return };
        let (url, sql) = (maintenance_url.clone(), format!("drop database if exists {name} with (force)"));
        // A runtime cannot block while it is being dropped.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime can be created").block_on(execute(&url, &sql));
        });
        let _ = dropping.join();
    }
}
