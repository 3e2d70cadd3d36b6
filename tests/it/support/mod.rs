//! A whole service in process, with a manual clock, and clients that send requests to it.

mod client;
mod database;
pub mod fixtures;
pub mod jwt;
pub mod memory;
mod openapi;
mod page_links;
pub mod pull_request;
pub mod receiver;
pub mod recorded;
mod response;
mod tester;
pub mod wait;

pub use client::Client;
pub use database::TestDatabase;
pub use response::Response;
pub use tester::Tester;

use std::path::{Path, PathBuf};

use plinth::state_file::State;
use plinth_api::app::App;
use plinth_api::server::HttpService;
use plinth_api::settings::{CacheAdmission, Settings};
use plinth_base::clock::{Clock, Timestamp};
use plinth_git::Repositories;
use plinth_store::Store;

/// The time at which every test begins.
pub const START: Timestamp = Timestamp(1_772_000_000);

/// The service under test; its data is deleted with it.
pub struct Service {
    pub app: App,
    pub store: Store,
    http_service: HttpService,
    directory: tempfile::TempDir,
    database: TestDatabase,
}

impl Service {
    /// A service with this state file, without rate limits and practically without a request timeout.
    pub async fn with(state: &str) -> Self {
        let mut settings = Settings::default();
        settings.rate_limits.enforced = false;
        // A busy machine may be slow; tests of the timeout set their own.
        settings.request_timeout = std::time::Duration::from_secs(600);
        Self::with_settings(state, settings).await
    }

    pub async fn with_settings(state: &str, mut settings: Settings) -> Self {
        settings.response_cache_admission = CacheAdmission::All;
        let database = TestDatabase::with_schema().await;
        let store = database.open().await;
        let clock = Clock::manual(START);
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let repositories = Repositories::at(&directory.path().join("data")).expect("a directory can be created");
        let app = App::new(store.clone(), repositories, clock, settings).await.expect("a new store opens");
        let service = Self { http_service: http_service_of(&app), app, store, directory, database };
        service.apply(state).await;
        service
    }

    /// The URL of the database on PostgreSQL.
    pub fn database_url(&self) -> Option<String> {
        self.database.url()
    }

    /// The same data served by another instance with these settings.
    pub async fn another_with(&self, mut settings: Settings) -> HttpService {
        settings.response_cache_admission = CacheAdmission::All;
        let repositories = Repositories::at(&self.directory.path().join("data")).expect("the directory exists");
        let (store, clock) = (self.store.clone(), self.app.clock.clone());
        http_service_of(&App::new(store, repositories, clock, settings).await.expect("a store opens again"))
    }

    /// The same data served by another instance, through another store on the same database.
    pub async fn another_on(&self, store: Store, settings: Settings) -> HttpService {
        let repositories = Repositories::at(&self.directory.path().join("data")).expect("the directory exists");
        let clock = self.app.clock.clone();
        http_service_of(&App::new(store, repositories, clock, settings).await.expect("a store opens again"))
    }

    /// Replaces the process state, with empty caches, over the same data.
    pub async fn restart(&mut self) {
        self.restart_with(self.app.settings.clone()).await;
    }

    /// As [`Service::restart`], with exactly these settings.
    pub async fn restart_with(&mut self, settings: Settings) {
        let repositories = Repositories::at(&self.directory.path().join("data")).expect("the directory exists");
        let (store, clock) = (self.store.clone(), self.app.clock.clone());
        self.app = App::new(store, repositories, clock, settings).await.expect("a store opens again");
        self.http_service = http_service_of(&self.app);
    }

    /// Applies another state file.
    pub async fn apply(&self, state: &str) {
        let state = State::parse(state, self.directory.path()).expect("the test's state file is good");
        let applied = state.apply(&self.store, &self.app.repositories, self.app.clock.now()).await;
        applied.expect("the test's state can be applied");
    }

    /// Applies a state file that may be rejected.
    pub async fn try_apply(&self, state: &str) -> Result<(), String> {
        let state = State::parse(state, self.directory.path()).map_err(|error| error.to_string())?;
        let applied = state.apply(&self.store, &self.app.repositories, self.app.clock.now()).await;
        applied.map(drop).map_err(|error| error.to_string())
    }

    /// Revokes a token.
    pub async fn revoke(&self, token: &str) {
        let context = (plinth_core::tokens::hash(token), self.app.clock.now());
        let ended = self.store.write(Tester, context, |tx, (hash, now)| {
            Box::pin(async move {
                let found = plinth_core::tokens::store::find_by_hash(tx, hash).await?;
                Ok(plinth_core::tokens::store::end(tx, found.expect("the token exists"), *now).await?)
            })
        });
        assert_eq!(ended.await.expect("the store accepts the change"), 1);
    }

    /// The same store, opened as another process would.
    pub async fn store_elsewhere(&self) -> Store {
        self.database.open().await
    }

    /// The private key of apps in tests, in PEM.
    pub fn app_key(&self) -> &'static str {
        app_key()
    }

    /// Writes that key to a file that a state file can name.
    pub fn write_app_key(&self, name: &str) {
        std::fs::write(self.directory.path().join(name), app_key()).expect("the file can be written");
    }

    /// The directory that the state file's paths are relative to.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// A client without a credential.
    pub fn anonymous(&self) -> Client<'_> {
        Client::new(&self.http_service)
    }

    /// A client with this token.
    pub fn with_token(&self, token: &str) -> Client<'_> {
        Client::new(&self.http_service).header("authorization", &format!("Bearer {token}"))
    }

    /// Refreshes every pull request and the statistics of every repository, and waits until no transaction waits.
    pub async fn settled(&self) {
        plinth_core::pulls::catch_up(&self.app).await.expect("pull requests can be refreshed");
        plinth_core::repos::statistics::catch_up(&self.app).await.expect("repositories can be described");
        let sql = "select count(*) from pull p join pull_version v on v.pull_id = p.id and v.number = p.version \
                   where p.state = 'open' and v.commits is null";
        let is_settled = async || {
            let mut db = self.store.read().await.expect("the store can be read");
            let (unsettled,) = db.one::<(i64,)>(sql, &[]).await.expect("the store can be read");
            unsettled == 0 && self.app.transaction_times().waiting() == 0
        };
        wait::wait_until_async("nothing writes in the background", is_settled).await;
    }

    /// Waits for background work, and moves all loose objects into packs. A rejected merge may do that, too, so tests that
    /// count rows do it first.
    pub async fn pack_objects(&self) {
        self.settled().await;
        let mut db = self.store.read().await.expect("the store can be read");
        let repos = db.all::<(i64,)>("select id from repo", &[]).await.expect("the store can be read");
        drop(db);
        for (repo,) in repos {
            self.app.objects.flush(plinth_base::ids::RepoId(repo)).await.expect("objects become packs");
        }
    }

    /// The requests whose heads have been read and that have no response yet.
    pub fn requests_in_flight(&self) -> usize {
        let page = self.app.metrics.render(&self.app);
        let figure = page.lines().find_map(|line| line.strip_prefix("plinth_requests_in_flight "));
        figure.and_then(|figure| figure.parse().ok()).expect("the metric exists")
    }

    pub fn advance(&self, seconds: i64) {
        self.app.clock.advance(seconds);
    }
}

/// The API and the pages, as the program serves them.
fn http_service_of(app: &App) -> HttpService {
    HttpService::with_pages(app.clone(), std::sync::Arc::new(plinth_web::WebPages))
}

/// One key for all apps that can share it, because generating one is slow.
pub fn app_key() -> &'static str {
    static KEY: std::sync::LazyLock<String> =
        std::sync::LazyLock::new(|| plinth_core::apps::generate_key().private_pem);
    &KEY
}

/// The root of the workspace.
pub fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the crate is in the workspace")
}
