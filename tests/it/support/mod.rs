//! A whole service in process, with a clock that stands still and users who make requests.

mod answer;
mod client;
mod database;
pub mod jwt;
pub mod story;

use std::path::Path;

use plinth::app::App;
use plinth::cli::state::State;
use plinth::clock::{Clock, Timestamp};
use plinth::config::Settings;
use plinth::git::Repositories;
use plinth::server::Door;

pub use answer::Answer;
pub use client::Client;
use database::TestDatabase;

/// The moment at which every story begins.
pub const START: Timestamp = Timestamp(1_772_000_000);

/// The service under test; its data goes with it.
pub struct Service {
    pub app: App,
    door: Door,
    folder: tempfile::TempDir,
    _database: TestDatabase,
}

impl Service {
    /// A service in the given state, with limits off.
    pub async fn with(state: &str) -> Self {
        let mut settings = Settings::default();
        settings.budgets.enforced = false;
        Self::with_settings(state, settings).await
    }

    pub async fn with_settings(state: &str, settings: Settings) -> Self {
        let database = TestDatabase::create().await;
        let store = database.open().await;
        let clock = Clock::manual(START);
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let repositories = Repositories::at(&folder.path().join("data")).expect("a folder can be made");
        let app = App::new(store, repositories, clock, settings).await.expect("a new store opens");
        let service = Self { door: Door::new(app.clone()), app, folder, _database: database };
        service.apply(state).await;
        service
    }

    /// The same data in a process that remembers nothing.
    pub async fn restart(&mut self) {
        let repositories = Repositories::at(&self.folder.path().join("data")).expect("the folder is there");
        let (store, clock, settings) = (self.app.store.clone(), self.app.clock.clone(), self.app.settings.clone());
        self.app = App::new(store, repositories, clock, settings).await.expect("a store opens again");
        self.door = Door::new(self.app.clone());
    }

    /// Brings the service to a further state.
    pub async fn apply(&self, state: &str) {
        let state = State::parse(state, self.folder.path()).expect("the test's state file is good");
        let applied = state.apply(&self.app.store, &self.app.repositories, self.app.clock.now()).await;
        applied.expect("the test's state can be applied");
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
