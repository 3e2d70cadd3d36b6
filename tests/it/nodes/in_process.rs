//! Servers without listeners in one process, over one store of either database and a directory as object storage.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use plinth::state_file::State;
use plinth_api::app::App;
use plinth_api::server::HttpService;
use plinth_api::settings::Settings;
use plinth_base::clock::Clock;
use plinth_base::error::Result;
use plinth_base::ids::RepoId;
use plinth_core::objects::shared::PackStorage;
use plinth_core::objects::{Maintenance, Policy};
use plinth_core::pulls;
use plinth_git::Repositories;
use plinth_store::ObjectStorage;
use serde_json::json;

use super::storage::collect;
use crate::support::fixtures::StateFile;
use crate::support::{Client, START, TestDatabase};

pub const ROCKET: &str = "/repos/mona/rocket";
pub const ROCKET_ID: RepoId = RepoId(1);

/// A database and a storage.
pub struct Shared {
    pub database: TestDatabase,
    pub directory: tempfile::TempDir,
    pub clock: Clock,
}

/// A server without a listener.
pub struct Node {
    pub app: App,
    pub http_service: HttpService,
    pub packs: Arc<PackStorage>,
}

impl Shared {
    pub async fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        Self { database: TestDatabase::create().await, directory, clock: Clock::manual(START) }
    }

    pub fn storage(&self) -> PathBuf {
        self.directory.path().join("storage")
    }

    pub async fn node(&self, name: &str, cache_bytes_max: u64) -> Node {
        let store = self.database.open().await;
        let storage = ObjectStorage::open(&format!("file://{}", self.storage().display())).expect("a good URL");
        let packs = Arc::new(PackStorage::new(store.clone(), storage, self.clock.clone(), cache_bytes_max));
        let repositories = Repositories::at(&self.directory.path().join(name)).expect("a directory can be created");
        let mut settings = Settings::default();
        settings.rate_limits.enforced = false;
        settings.request_timeout = Duration::from_secs(600);
        let repositories = repositories.sharing(packs.clone());
        let app = App::new(store.clone(), repositories, self.clock.clone(), settings).await.expect("a store opens");
        let state = StateFile::default().users(&["mona"]).classic("mona", "repo, delete_repo", "ghp_monamona");
        let state = state.repo("mona/rocket", &crate::support::fixtures::two_branches(""));
        let state = State::parse(&state.to_string(), self.directory.path()).expect("a good state file");
        state.apply(&store, &app.repositories, self.clock.now()).await.expect("it can be applied");
        Node { http_service: HttpService::new(app.clone()), app, packs }
    }

    pub fn stored_files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect(&self.storage().join("packs"), &mut found);
        found
    }
}

impl Node {
    pub fn client(&self) -> Client<'_> {
        Client::new(&self.http_service).header("authorization", "Bearer ghp_monamona")
    }

    /// Creates a blob, and moves it into a pack of its own.
    pub async fn pack_blob(&self, content: &str) -> String {
        let made = self.client().post(&format!("{ROCKET}/git/blobs"), json!({ "content": content })).await.expect(201);
        self.app.objects.flush(ROCKET_ID).await.expect("it becomes a pack");
        made.json()["sha"].as_str().expect("a name").to_owned()
    }

    pub async fn has(&self, blob: &str) -> bool {
        self.client().get(&format!("{ROCKET}/git/blobs/{blob}")).await.status == 200
    }

    pub async fn maintain(&self) {
        let policy = Policy { waiting_objects_max: 1, packs_max: 2, ..Policy::default() };
        let mut maintenance = Maintenance::new(self.app.objects.clone(), self.app.clock.clone(), &[], policy);
        maintenance.round().await.expect("a round of maintenance");
    }

    /// A round of maintenance as a server does it.
    pub async fn maintain_by_default(&self) {
        self.maintenance().round().await.expect("a round of maintenance");
    }

    /// Removes unreachable objects at once; returns whether there were any.
    pub async fn purge(&self) -> Result<bool> {
        self.maintenance().purge(ROCKET_ID).await
    }

    fn maintenance(&self) -> Maintenance {
        Maintenance::new(self.app.objects.clone(), self.app.clock.clone(), &[pulls::gc_roots], Policy::default())
    }

    /// What a server does in the background for its disk.
    pub async fn care_for_copies(&self) {
        let (repositories, packs) = (self.app.repositories.clone(), self.packs.clone());
        let care = move || {
            packs.remove_outdated(&repositories)?;
            packs.shrink_cache(&repositories)
        };
        self.app.objects.run(care).await.expect("copies can be removed");
    }

    pub fn copies(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect(&self.app.repositories.pack_directory(ROCKET_ID), &mut found);
        found.retain(|path| path.extension().is_some_and(|extension| extension == "pack"));
        found
    }
}
