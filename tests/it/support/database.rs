//! A store for each test: a file, or a database of the cluster that the environment names.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use plinth_store::{Durability, Location, Store};
use tokio::sync::OnceCell;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, NoTls};

/// Set by `cargo xtask test` for the second run.
const POSTGRES: &str = "PLINTH_TEST_POSTGRES";
static COUNT: AtomicU32 = AtomicU32::new(0);
/// The database that those with a schema are copied from. It stays as long as the cluster, which is made for tests.
static TEMPLATE: OnceCell<String> = OnceCell::const_new();

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

    /// As [`TestDatabase::create`], but on PostgreSQL the schema is there already: the migrations take a quarter of the time of
    /// a short test.
    pub async fn with_schema() -> Self {
        match std::env::var(POSTGRES) {
            Ok(maintenance_url) => {
                let template = TEMPLATE.get_or_init(|| create_template(maintenance_url.clone())).await;
                Self::copy_on(maintenance_url, template).await
            }
            Err(_) => Self::create().await,
        }
    }

    /// A database of a certain cluster.
    pub async fn create_on(maintenance_url: String) -> Self {
        Self::copy_on(maintenance_url, "template1").await
    }

    async fn copy_on(maintenance_url: String, template: &str) -> Self {
        let name = format!("plinth_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst));
        execute(&maintenance_url, &format!("create database {name} template {template}")).await;
        Self::Postgres { maintenance_url, name }
    }

    pub fn is_postgres(&self) -> bool {
        matches!(self, Self::Postgres { .. })
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
    with_client(url, async |client| client.batch_execute(sql).await).await;
}

async fn create_template(maintenance_url: String) -> String {
    let database = TestDatabase::create_on(maintenance_url).await;
    drop(database.open().await);
    let TestDatabase::Postgres { maintenance_url, name } = &database else { unreachable!("it is on PostgreSQL") };
    let template = format!("{name}_template");
    with_client(maintenance_url, async |client| {
        end_sessions(client, name).await?;
        client.batch_execute(&format!("alter database {name} rename to {template}")).await
    })
    .await;
    template
}

async fn drop_database(url: &str, name: &str) {
    with_client(url, async |client| {
        end_sessions(client, name).await?;
        client.batch_execute(&format!("drop database if exists {name} with (force)")).await
    })
    .await;
}

/// A statement for which there must be no sessions would wait for a tenth of a second if there were some.
async fn end_sessions(client: &Client, name: &str) -> Result<(), tokio_postgres::Error> {
    let sessions = format!("select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'");
    // Bounded: a server of the test may connect again and again.
    for _ in 0..50 {
        if client.query(&sessions, &[]).await?.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Ok(())
}

async fn with_client(url: &str, run: impl AsyncFnOnce(&Client) -> Result<(), tokio_postgres::Error>) {
    let (client, connection) = loop {
        match tokio_postgres::connect(url, NoTls).await {
            // A cluster that was just started.
            Err(error) if error.code() == Some(&SqlState::CANNOT_CONNECT_NOW) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            connected => break connected.expect("the test cluster responds"),
        }
    };
    let connection = tokio::spawn(connection);
    run(&client).await.expect("the test cluster executes the statement");
    drop(client);
    let _ = connection.await;
}

/// The cluster outlives the test, so the database is dropped.
impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Self::Postgres { maintenance_url, name } = self else { return };
        let (url, name) = (maintenance_url.clone(), name.clone());
        // A runtime cannot block while it is being dropped.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime can be created").block_on(drop_database(&url, &name));
        });
        let _ = dropping.join();
    }
}
