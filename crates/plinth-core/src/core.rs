//! The state that all operations share: store, repositories, clock, rate limits and caches.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use plinth_base::clock::Clock;
use plinth_base::error::Result;
use plinth_git::Repositories;
use plinth_git::diff::Comparisons;
use plinth_store::{Connection, GenerationTable, Generations, Store, TransactionTimes};
use tokio::sync::Notify;

use crate::access::{CallerCache, new_caller_cache};
use crate::caches::{CacheName, DisabledCaches};
use crate::objects::{ObjectLimits, Objects};
use crate::project_fields::{ProjectFieldCache, new_project_field_cache};
use crate::projects::{ProjectAccessCache, new_project_access_cache};
use crate::pulls::{PullCache, Refreshes, new_pull_cache};
use crate::rate_limit::{RateLimiter, RateLimits};
use crate::ref_updates::RefTurns;
use crate::refs::{RefCache, new_ref_cache};
use crate::repos::RepoAccessCache;
use crate::review_comments::{CommentContextCache, SparseIndexes, new_comment_context_cache};
use crate::settings;
use crate::tokens::ExpiredTokens;
use crate::webhooks::key_file::KeyFile;

/// The size of the cache of rendered Markdown.
const RENDERED_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The operator's settings for the domain.
#[derive(Debug, Clone, Default)]
pub struct CoreSettings {
    pub rate_limits: RateLimits,
    pub objects: ObjectLimits,
    pub disabled_caches: DisabledCaches,
    /// The file with the key of secrets, by default in the data directory.
    pub secrets_key_file: Option<PathBuf>,
}

/// The running domain; cheap to clone.
#[derive(Clone)]
pub struct Core(Arc<Parts>);

/// The parts of the domain.
pub struct Parts {
    /// Private to this crate: only operations open write transactions.
    pub(crate) store: Store,
    pub repositories: Arc<Repositories>,
    pub objects: Objects,
    pub clock: Clock,
    pub limiter: RateLimiter,
    pub expired_tokens: ExpiredTokens,
    pub comparisons: Arc<Comparisons>,
    pub rendered: Arc<plinth_markdown::Cache>,
    /// The key that encrypts the secrets of hooks.
    pub secrets_key: KeyFile,
    pub(crate) caller_cache: CallerCache,
    pub(crate) repo_access_cache: RepoAccessCache,
    pub(crate) project_access_cache: ProjectAccessCache,
    pub(crate) project_field_cache: ProjectFieldCache,
    pub(crate) pull_cache: PullCache,
    pub(crate) ref_cache: RefCache,
    pub(crate) comment_context_cache: CommentContextCache,
    pub(crate) comment_indexes: SparseIndexes,
    pub(crate) refreshes: Refreshes,
    pub(crate) ref_turns: RefTurns,
    /// Locked while deleted repositories are removed.
    pub(crate) removal_turn: tokio::sync::Mutex<()>,
}

impl Deref for Core {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl Core {
    pub fn new(store: Store, repositories: Repositories, clock: Clock, settings: CoreSettings) -> Self {
        let disabled = &settings.disabled_caches;
        let repositories = match disabled.contains(CacheName::Objects) {
            true => Arc::new(repositories.without_object_cache()),
            false => Arc::new(repositories),
        };
        let comparisons = match disabled.contains(CacheName::Comparisons) {
            true => Comparisons::uncached(),
            false => Comparisons::default(),
        };
        let key_file = settings.secrets_key_file.map(KeyFile::new);
        let secrets_key = key_file.unwrap_or_else(|| KeyFile::in_directory(repositories.data_directory()));
        let rendered_bytes = disabled.capacity(CacheName::Markdown, RENDERED_BYTES_MAX);
        Self(Arc::new(Parts {
            objects: Objects::new(store.clone(), repositories.clone(), settings.objects),
            limiter: RateLimiter::new(settings.rate_limits),
            expired_tokens: ExpiredTokens::default(),
            comparisons: Arc::new(comparisons),
            rendered: Arc::new(plinth_markdown::Cache::new(rendered_bytes)),
            caller_cache: new_caller_cache(&store, disabled),
            repo_access_cache: RepoAccessCache::new(&store, disabled),
            project_access_cache: new_project_access_cache(&store, disabled),
            project_field_cache: new_project_field_cache(&store, disabled),
            pull_cache: new_pull_cache(&store, disabled),
            ref_cache: new_ref_cache(&store, disabled),
            comment_context_cache: new_comment_context_cache(&store, disabled),
            comment_indexes: SparseIndexes::new(&store, disabled),
            secrets_key,
            refreshes: Refreshes::default(),
            ref_turns: RefTurns::default(),
            removal_turn: tokio::sync::Mutex::default(),
            repositories,
            store,
            clock,
        }))
    }

    /// A connection for reading.
    pub async fn read(&self) -> Result<Connection> {
        self.store.read().await
    }

    /// The current generations of the store, if they are known. Without them nothing is cached.
    pub async fn generations(&self) -> Option<Generations> {
        self.store.generations().await
    }

    /// See [`Store::has_one_writer`].
    pub fn has_one_writer(&self) -> bool {
        self.store.has_one_writer()
    }

    /// The generations for caches of values from this store.
    pub fn generation_table(&self) -> &Arc<GenerationTable> {
        self.store.generation_table()
    }

    /// Notified when an event or a delivery was recorded, for the tasks that wait for them.
    pub fn webhook_signal(&self) -> &Arc<Notify> {
        self.store.signal()
    }

    /// Whether other nodes may use the store at the same time.
    pub fn is_shared_store(&self) -> bool {
        self.store.is_shared()
    }

    /// Whether this process does what is done once for all nodes.
    pub fn leads(&self) -> bool {
        self.store.leads()
    }

    /// Rate limits hold over all nodes from now on; [`RateLimiter::run_leases`] must run.
    pub fn share_rate_limits(&self) {
        self.limiter.share(self.store.clone());
    }

    /// The secret that signs list cursors. The store holds it, so that every node accepts every cursor.
    pub async fn cursor_secret(&self) -> Result<Vec<u8>> {
        settings::cursor_secret(self).await
    }

    /// Checks that the database responds.
    pub async fn check_database(&self) -> Result<()> {
        self.store.check().await
    }

    /// Checks that the writer makes progress.
    pub fn check_writer(&self) -> Result<()> {
        self.store.check_writer()
    }

    /// `sqlite` or `postgres`.
    pub fn engine_name(&self) -> &'static str {
        self.store.engine_name()
    }

    /// Times of write transactions.
    pub fn transaction_times(&self) -> &TransactionTimes {
        self.store.transaction_times()
    }
}
