//! A whole service in process, with a clock that stands still and users who make requests.

mod answer;
mod client;
mod database;
mod described;
pub mod jwt;
mod recorded;
pub mod story;
mod tester;

pub use answer::Answer;
pub use client::Client;
pub use database::TestDatabase;
pub use tester::Tester;

use std::path::{Path, PathBuf};

use plinth::state_file::State;
use plinth_api::app::App;
use plinth_api::server::HttpService;
use plinth_api::settings::Settings;
use plinth_base::clock::{Clock, Timestamp};
use plinth_git::Repositories;
use plinth_store::Store;

/// The moment at which every story begins.
pub const START: Timestamp = Timestamp(1_772_000_000);

/// The service under test; its data goes with it.
pub struct Service {
    pub app: App,
    pub store: Store,
    door: HttpService,
    folder: tempfile::TempDir,
    database: TestDatabase,
}

impl Service {
    /// A service in the given state, with limits off.
    pub async fn with(state: &str) -> Self {
        let mut settings = Settings::default();
        settings.rate_limits.enforced = false;
        Self::with_settings(state, settings).await
    }

    pub async fn with_settings(state: &str, settings: Settings) -> Self {
        let database = TestDatabase::create().await;
        let store = database.open().await;
        let clock = Clock::manual(START);
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let repositories = Repositories::at(&folder.path().join("data")).expect("a folder can be made");
        let app = App::new(store.clone(), repositories, clock, settings).await.expect("a new store opens");
        let service = Self { door: HttpService::new(app.clone()), app, store, folder, database };
        service.apply(state).await;
        service
    }

    /// The same data in a process that remembers nothing.
    pub async fn restart(&mut self) {
        let repositories = Repositories::at(&self.folder.path().join("data")).expect("the folder is there");
        let (store, clock, settings) = (self.store.clone(), self.app.clock.clone(), self.app.settings.clone());
        self.app = App::new(store, repositories, clock, settings).await.expect("a store opens again");
        self.door = HttpService::new(self.app.clone());
    }

    /// Brings the service to a further state.
    pub async fn apply(&self, state: &str) {
        let state = State::parse(state, self.folder.path()).expect("the test's state file is good");
        let applied = state.apply(&self.store, &self.app.repositories, self.app.clock.now()).await;
        applied.expect("the test's state can be applied");
    }

    /// Applies a state file that may be refused.
    pub async fn try_apply(&self, state: &str) -> Result<(), String> {
        let state = State::parse(state, self.folder.path()).map_err(|error| error.to_string())?;
        let applied = state.apply(&self.store, &self.app.repositories, self.app.clock.now()).await;
        applied.map(drop).map_err(|error| error.to_string())
    }

    /// Ends a token for good.
    pub async fn revoke(&self, token: &str) {
        let context = (plinth_core::tokens::hash(token), self.app.clock.now());
        let ended = self.store.write(Tester, context, |tx, (hash, now)| {
            Box::pin(async move {
                let found = plinth_core::tokens::store::find_by_hash(tx, hash).await?;
                Ok(plinth_core::tokens::store::end(tx, found.expect("the token exists"), *now).await?)
            })
        });
        assert_eq!(ended.await.expect("the store takes the change"), 1);
    }

    /// The same store as another process has it open.
    pub async fn store_elsewhere(&self) -> Store {
        self.database.open().await
    }

    /// The private key of apps in tests, in PEM; made once, since that takes a while.
    pub fn app_key(&self) -> &'static str {
        app_key()
    }

    /// Puts that key where a state file names it.
    pub fn write_app_key(&self, name: &str) {
        std::fs::write(self.folder.path().join(name), app_key()).expect("the folder takes a file");
    }

    /// Where the state file's paths lead to.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Someone without a credential.
    pub fn anonymous(&self) -> Client<'_> {
        Client::new(&self.door)
    }

    /// Someone with this token.
    pub fn with_token(&self, token: &str) -> Client<'_> {
        Client::new(&self.door).header("authorization", &format!("Bearer {token}"))
    }

    pub fn advance(&self, seconds: i64) {
        self.app.clock.advance(seconds);
    }
}

/// One key for all apps that need not have different ones.
pub fn app_key() -> &'static str {
    static KEY: std::sync::LazyLock<String> =
        std::sync::LazyLock::new(|| plinth_core::apps::generate_key().private_pem);
    &KEY
}

/// The root of the workspace.
pub fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the crate is in the workspace")
}
