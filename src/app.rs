//! What every request shares: the store, the clock, the settings and the counters.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::api::access::Known;
use crate::api::cursor::CursorKey;
use crate::api::health::Checks;
use crate::api::large_body;
use crate::api::limits::Limiter;
use crate::api::metrics::Metrics;
use crate::api::permits::Permits;
use crate::api::shared_object::SharedObjects;
use crate::clock::Clock;
use crate::config::Settings;
use crate::db::{Connection, Memories, Store, internal_authority, params};
use crate::error::{Error, Result};
use crate::git::Repositories;
use crate::git::diff::Comparisons;
use crate::markdown;
use crate::objects::Objects;
use crate::tokens::{ExpiredTokens, random_text};

/// Rendered comments that are kept in memory.
const RENDERED_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The running service; cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Shared>);

/// The parts of the service.
pub struct Shared {
    pub store: Store,
    pub repositories: Arc<Repositories>,
    pub objects: Objects,
    pub clock: Clock,
    pub settings: Settings,
    pub limiter: Limiter,
    pub metrics: Metrics,
    pub cursor_key: CursorKey,
    pub expired_tokens: ExpiredTokens,
    pub known: Known,
    /// What the areas remember.
    pub memories: Memories,
    pub comparisons: Arc<Comparisons>,
    pub rendered: Arc<markdown::Cache>,
    pub readiness: Checks,
    /// Permits for processes of git.
    pub git_permits: Permits,
    /// Permits for the memory of large responses, in units of a kibibyte.
    pub response_memory: Permits,
    pub shared_objects: SharedObjects,
    draining: AtomicBool,
}

impl std::ops::Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl App {
    /// Puts the parts together; the key that cursors are sealed with comes from the store.
    pub async fn new(store: Store, repositories: Repositories, clock: Clock, settings: Settings) -> Result<Self> {
        let cursor_key = CursorKey::new(&cursor_secret(&store).await?);
        let repositories = Arc::new(repositories);
        Ok(Self(Arc::new(Shared {
            limiter: Limiter::new(settings.budgets.clone()),
            metrics: Metrics::default(),
            expired_tokens: ExpiredTokens::default(),
            known: Known::default(),
            memories: Memories::default(),
            comparisons: Arc::default(),
            rendered: Arc::new(markdown::Cache::new(RENDERED_BYTES_MAX)),
            readiness: Checks::default(),
            git_permits: Permits::new(settings.git.processes_max, settings.git.processes_per_caller_max),
            response_memory: large_body::memory(settings.response_bytes_max),
            shared_objects: SharedObjects::default(),
            draining: AtomicBool::new(false),
            objects: Objects::new(store.clone(), repositories.clone(), settings.objects),
            repositories,
            store,
            clock,
            settings,
            cursor_key,
        })))
    }

    /// From now on the service is not ready for new work.
    pub fn start_draining(&self) {
        self.draining.store(true, Ordering::SeqCst);
    }

    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::SeqCst)
    }
}

internal_authority!(
    /// A store that is opened for the first time gets its secret.
    FirstStart = "app/first-start"
);

const CURSOR_SECRET: &str = "cursor_secret";
const CURSOR_SECRET_LENGTH: usize = 43;

/// The secret of this store, made by whoever comes first.
async fn cursor_secret(store: &Store) -> Result<Vec<u8>> {
    let mut db = store.read().await?;
    if let Some(secret) = find_setting(&mut db, CURSOR_SECRET).await? {
        return Ok(secret);
    }
    drop(db);
    store
        .write(FirstStart, random_text(CURSOR_SECRET_LENGTH), |tx, secret| {
            Box::pin(async move {
                let sql = "insert into setting (name, value) values ($1, $2) on conflict (name) do nothing";
                tx.execute(sql, params![CURSOR_SECRET, secret.as_bytes()]).await?;
                find_setting(tx, CURSOR_SECRET).await?.ok_or_else(|| Error::internal("a setting was just stored"))
            })
        })
        .await
}

async fn find_setting(db: &mut Connection, name: &str) -> Result<Option<Vec<u8>>> {
    let found = db.optional::<(Vec<u8>,)>("select value from setting where name = $1", params![name]).await?;
    Ok(found.map(|(value,)| value))
}
