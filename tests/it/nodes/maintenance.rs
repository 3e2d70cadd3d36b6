//! Maintenance of packs that servers share, in one process and on both databases.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use plinth::state_file::State;
use plinth_api::app::App;
use plinth_api::server::HttpService;
use plinth_api::settings::Settings;
use plinth_base::clock::Clock;
use plinth_core::objects::shared::{PackStorage, Removals};
use plinth_core::objects::{Maintenance, Policy};
use plinth_git::Repositories;
use plinth_store::ObjectStorage;
use serde_json::json;

use super::storage::collect;
use crate::support::fixtures::StateFile;
use crate::support::wait::wait_until_async;
use crate::support::{Client, START, TestDatabase};

const ROCKET: &str = "/repos/mona/rocket";
const NOW: Removals = Removals { grace: Duration::ZERO, orphan_age: Duration::ZERO };

/// A database and a storage.
struct Shared {
    database: TestDatabase,
    directory: tempfile::TempDir,
    clock: Clock,
}

/// A server without a listener.
struct Node {
    app: App,
    http_service: HttpService,
    packs: Arc<PackStorage>,
}

impl Shared {
    async fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        Self { database: TestDatabase::create().await, directory, clock: Clock::manual(START) }
    }

    fn storage(&self) -> PathBuf {
        self.directory.path().join("storage")
    }

    async fn node(&self, name: &str, cache_bytes_max: u64) -> Node {
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

    fn stored_files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect(&self.storage().join("packs"), &mut found);
        found
    }
}

impl Node {
    fn client(&self) -> Client<'_> {
        Client::new(&self.http_service).header("authorization", "Bearer ghp_monamona")
    }

    /// Creates a blob, and moves it into a pack of its own.
    async fn pack_blob(&self, content: &str) -> String {
        let made = self.client().post(&format!("{ROCKET}/git/blobs"), json!({ "content": content })).await.expect(201);
        self.app.objects.flush(plinth_base::ids::RepoId(1)).await.expect("it becomes a pack");
        made.json()["sha"].as_str().expect("a name").to_owned()
    }

    async fn has(&self, blob: &str) -> bool {
        self.client().get(&format!("{ROCKET}/git/blobs/{blob}")).await.status == 200
    }

    async fn maintain(&self) {
        let policy = Policy { waiting_objects_max: 1, packs_max: 2, ..Policy::default() };
        let mut maintenance = Maintenance::new(self.app.objects.clone(), self.app.clock.clone(), &[], policy);
        maintenance.round().await.expect("a round of maintenance");
    }

    /// What a server does in the background for its disk.
    async fn care_for_copies(&self) {
        let (repositories, packs) = (self.app.repositories.clone(), self.packs.clone());
        let care = move || {
            packs.remove_outdated(&repositories)?;
            packs.shrink_cache(&repositories)
        };
        self.app.objects.run(care).await.expect("copies can be removed");
    }

    fn copies(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect(&self.app.repositories.pack_directory(plinth_base::ids::RepoId(1)), &mut found);
        found.retain(|path| path.extension().is_some_and(|extension| extension == "pack"));
        found
    }
}

#[tokio::test]
async fn packs_that_one_server_joins_are_complete_on_all() {
    let shared = Shared::new().await;
    let (a, b) = (shared.node("a", u64::MAX).await, shared.node("b", u64::MAX).await);
    let mut blobs = Vec::new();
    for number in 0..6 {
        blobs.push(a.pack_blob(&format!("of a {number}")).await);
        blobs.push(b.pack_blob(&format!("of b {number}")).await);
    }
    assert!(a.copies().len() > 6 && shared.stored_files().len() >= 26);
    b.maintain().await;
    for blob in &blobs {
        assert!(a.has(blob).await && b.has(blob).await, "{blob}");
    }
    // The old files go after the grace period, and not before.
    let before = shared.stored_files().len();
    assert_eq!(a.packs.delete_removed(Removals::default()).await.expect("it can be listed"), 0);
    assert_eq!(shared.stored_files().len(), before);
    shared.clock.advance(1);
    assert!(a.packs.delete_removed(NOW).await.expect("they can be deleted") > 12);
    assert_eq!(shared.stored_files().len(), 2, "one pack and its index");
    let c = shared.node("c", u64::MAX).await;
    for blob in &blobs {
        assert!(c.has(blob).await, "{blob}");
    }
    assert_eq!(c.copies().len(), 1);
    // Copies of the old packs go once they are old enough.
    let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    for copy in a.copies() {
        let index = std::fs::File::open(copy.with_extension("idx")).expect("a pack has an index");
        index.set_modified(an_hour_ago).expect("it is our file");
    }
    a.care_for_copies().await;
    for blob in &blobs {
        assert!(a.has(blob).await, "{blob}");
    }
    assert_eq!(a.copies().len(), 1);
}

#[tokio::test]
async fn maintenance_of_an_idle_server_loses_nothing_of_a_busy_one() {
    let shared = Shared::new().await;
    let (a, b) = (shared.node("a", u64::MAX).await, shared.node("b", u64::MAX).await);
    let mut blobs = Vec::new();
    for number in 0..100 {
        let body = json!({ "content": format!("loose {number}") });
        let made = a.client().post(&format!("{ROCKET}/git/blobs"), body).await.expect(201);
        blobs.push(made.json()["sha"].as_str().expect("a name").to_owned());
        if number % 25 == 24 {
            b.maintain().await;
        }
    }
    for blob in &blobs {
        assert!(a.has(blob).await && b.has(blob).await, "{blob}");
    }
}

#[tokio::test]
async fn files_without_a_row_are_deleted_and_others_are_not() {
    let shared = Shared::new().await;
    let a = shared.node("a", u64::MAX).await;
    let blob = a.pack_blob("kept").await;
    let known = shared.stored_files();
    let stray = known[0].with_file_name("00ff-0.pack");
    std::fs::write(&stray, "left by a killed server").expect("it can be written");
    assert_eq!(a.packs.delete_orphans(Removals::default()).await.expect("they can be listed"), 0, "it may be new");
    assert_eq!(a.packs.delete_orphans(NOW).await.expect("they can be listed"), 1);
    assert!(!stray.exists());
    assert_eq!(shared.stored_files().len(), known.len());
    assert!(shared.node("b", u64::MAX).await.has(&blob).await);
}

#[tokio::test]
async fn copies_over_the_limit_are_removed_and_fetched_again() {
    let shared = Shared::new().await;
    let a = shared.node("a", u64::MAX).await;
    let blob = a.pack_blob("content").await;
    let copies = a.copies().len();
    assert!(copies > 1);
    a.care_for_copies().await;
    assert_eq!(a.copies().len(), copies, "they fit");
    drop(a);
    // After a restart nothing is in use.
    let a = shared.node("a", 10).await;
    a.care_for_copies().await;
    assert!(a.copies().is_empty());
    assert!(a.has(&blob).await);
    assert_eq!(a.copies().len(), copies);
    a.care_for_copies().await;
    assert_eq!(a.copies().len(), copies, "what was just used stays");
}

#[tokio::test]
async fn packs_of_a_deleted_repository_are_deleted() {
    let shared = Shared::new().await;
    let a = shared.node("a", u64::MAX).await;
    a.pack_blob("content").await;
    assert!(!shared.stored_files().is_empty());
    a.client().delete(ROCKET).await.expect(204);
    wait_until_async("the repository is removed", async || a.copies().is_empty()).await;
    shared.clock.advance(1);
    wait_until_async("its files are deleted", async || {
        a.packs.delete_removed(NOW).await.expect("they can be deleted");
        shared.stored_files().is_empty()
    })
    .await;
}
