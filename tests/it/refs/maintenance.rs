//! Repository maintenance while the repository is used.

use std::time::Duration;

use serde_json::json;

use super::{GIT, directory, git, hubot, mona, rocket, sha_of, text};
use crate::support::Service;
use plinth_core::objects::{GcRoots, Maintenance, Policy};

/// Maintains everything at once, without a grace period.
fn eager() -> Policy {
    Policy { waiting_objects_max: 1, packs_max: 2, grace: Duration::ZERO, old_packs_max: 1, ..Policy::default() }
}

/// Combines packs but removes nothing.
fn keeping() -> Policy {
    Policy { grace: Duration::from_secs(3600), ..eager() }
}

async fn tend(service: &Service, policy: Policy, holders: &'static [GcRoots]) {
    let app = &service.app;
    let mut maintenance = Maintenance::new(app.objects.clone(), app.clock.clone(), holders, policy);
    maintenance.round().await.expect("a round of maintenance");
}

fn pack_count(service: &Service) -> usize {
    let files = std::fs::read_dir(directory(service, 1).join("objects/pack")).expect("a directory of packs");
    files.filter(|file| file.as_ref().expect("a file").path().extension().is_some_and(|name| name == "pack")).count()
}

async fn blob(service: &Service, content: &str) -> String {
    text(&hubot(service).post(&format!("{GIT}/blobs"), json!({ "content": content })).await.expect(201).json()["sha"])
}

async fn is_there(service: &Service, sha: &str) -> bool {
    mona(service).get(&format!("{GIT}/blobs/{sha}")).await.status == 200
}

#[tokio::test]
async fn maintenance_combines_loose_objects_and_small_packs() {
    let service = rocket().await;
    let mut blobs = Vec::new();
    for number in 0..5 {
        blobs.push(blob(&service, &format!("blob {number}")).await);
        tend(&service, Policy { packs_max: 100, ..keeping() }, &[]).await;
    }
    assert_eq!(pack_count(&service), 6);
    tend(&service, keeping(), &[]).await;
    assert_eq!(pack_count(&service), 1);
    for sha in &blobs {
        assert!(is_there(&service, sha).await);
    }
    assert!(
        directory(&service, 1).join("objects/info/commit-graphs").exists()
            || directory(&service, 1).join("objects/info/commit-graph").exists()
    );
    let (good, complaint) = git(&service, 1, &["fsck", "--strict", "--no-dangling"]);
    assert!(good, "{complaint}");
}

#[tokio::test]
async fn maintenance_removes_only_unreachable_objects_after_grace_period() {
    let service = rocket().await;
    let (lost, named) = (blob(&service, "lost").await, blob(&service, "named").await);
    hubot(&service).post(&format!("{GIT}/refs"), json!({ "ref": "refs/keep/it", "sha": named })).await.expect(201);
    let feature = sha_of(&service, "heads/feature").await;
    hubot(&service).delete(&format!("{GIT}/refs/heads/feature")).await.expect(204);
    tend(&service, keeping(), &[]).await;
    assert!(is_there(&service, &lost).await, "the grace time is not over");
    mona(&service).get(&format!("{GIT}/commits/{feature}")).await.expect(200);
    tend(&service, eager(), &[]).await;
    assert!(!git(&service, 1, &["cat-file", "-e", &lost]).0);
    assert!(!git(&service, 1, &["cat-file", "-e", &feature]).0);
    assert!(is_there(&service, &named).await);
    let main = sha_of(&service, "heads/main").await;
    let (good, complaint) = git(&service, 1, &["fsck", "--strict", "--no-dangling", &main, &named]);
    assert!(good, "{complaint}");
    let body = json!({ "ref": "refs/heads/back", "sha": "0123456789abcdef0123456789abcdef01234567" });
    hubot(&service).post(&format!("{GIT}/refs"), body).await.expect(422);
}

#[tokio::test]
async fn maintenance_keeps_objects_that_recent_objects_need() {
    let service = rocket().await;
    let (leaned_on, lost) = (blob(&service, "leaned on").await, blob(&service, "lost").await);
    tend(&service, keeping(), &[]).await;
    make_old(&service);
    let entry = json!({ "path": "a", "mode": "100644", "sha": leaned_on });
    let tree = hubot(&service).post(&format!("{GIT}/trees"), json!({ "tree": [entry] })).await.expect(201);
    tend(&service, Policy { grace: Duration::from_secs(3600), ..eager() }, &[]).await;
    assert!(!git(&service, 1, &["cat-file", "-e", &lost]).0);
    assert!(git(&service, 1, &["cat-file", "-e", &leaned_on]).0, "the new tree would be broken");
    let body = json!({ "ref": "refs/trees/x", "sha": tree.json()["sha"] });
    hubot(&service).post(&format!("{GIT}/refs"), body).await.expect(201);
}

/// The pack files, each with its inode.
fn pack_files(service: &Service) -> Vec<(std::path::PathBuf, u64)> {
    use std::os::unix::fs::MetadataExt;
    let files = std::fs::read_dir(directory(service, 1).join("objects/pack")).expect("a directory of packs");
    let files = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|name| name == "pack"));
    files.map(|path| (path.clone(), std::fs::metadata(path).expect("a file").ino())).collect()
}

#[tokio::test]
async fn maintenance_rewrites_single_pack_only_to_remove_unreachable_objects() {
    let service = rocket().await;
    let feature = sha_of(&service, "heads/feature").await;
    let usual = || Policy { waiting_objects_max: 1, ..Policy::default() };
    make_older_than(&service, Policy::default().grace);
    let before = pack_files(&service);
    assert_eq!(before.len(), 1);
    tend(&service, usual(), &[]).await;
    assert_eq!(pack_files(&service), before, "everything in it is reached");
    hubot(&service).delete(&format!("{GIT}/refs/heads/feature")).await.expect(204);
    tend(&service, usual(), &[]).await;
    assert_eq!(pack_files(&service), before, "it was looked at a moment ago");
    make_older_than(&service, Policy::default().grace);
    tend(&service, usual(), &[]).await;
    assert_eq!(pack_count(&service), 1);
    assert!(!git(&service, 1, &["cat-file", "-e", &feature]).0, "nothing reaches it any more");
    let main = sha_of(&service, "heads/main").await;
    let (good, complaint) = git(&service, 1, &["fsck", "--strict", "--no-dangling", &main]);
    assert!(good, "{complaint}");
}

/// Makes the packs look old.
fn make_old(service: &Service) {
    make_older_than(service, Duration::from_secs(90_000));
}

fn make_older_than(service: &Service, age: Duration) {
    let long_ago = std::time::SystemTime::now() - age - Duration::from_secs(10_000);
    for file in std::fs::read_dir(directory(service, 1).join("objects/pack")).expect("a directory of packs") {
        let path = file.expect("a file").path();
        let file = std::fs::File::open(path).expect("a pack opens");
        file.set_modified(long_ago).expect("times can be set");
    }
}

const HELD: &str = "held";

#[tokio::test]
async fn maintenance_keeps_garbage_collection_roots() {
    let service = rocket().await;
    let (held, lost) = (blob(&service, HELD).await, blob(&service, "lost").await);
    const GC_ROOTS: &[GcRoots] = &[|_, _| {
        Box::pin(async {
            let object = plinth_git::RawObject::blob(HELD)?;
            Ok(vec![object.sha()])
        })
    }];
    // The roots apply to every repository, so the others must have the object as well.
    let elsewhere = mona(&service).post("/repos/acme/hidden/git/blobs", json!({ "content": HELD })).await.expect(201);
    assert_eq!(text(&elsewhere.json()["sha"]), held);
    tend(&service, eager(), GC_ROOTS).await;
    assert!(git(&service, 1, &["cat-file", "-e", &held]).0);
    assert!(!git(&service, 1, &["cat-file", "-e", &lost]).0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn refs_created_during_maintenance_are_intact() {
    let service = rocket().await;
    let main = sha_of(&service, "heads/main").await;
    let tree = text(&mona(&service).get(&format!("{GIT}/commits/{main}")).await.json()["tree"]["sha"]);
    let tending = async {
        for _ in 0..12 {
            tend(&service, eager(), &[]).await;
        }
    };
    let writing = async {
        for number in 0..60 {
            let commit = json!({ "message": format!("{number}"), "tree": tree, "parents": [main] });
            let commit = hubot(&service).post(&format!("{GIT}/commits"), commit).await.expect(201);
            let body = json!({ "ref": format!("refs/heads/n{number}"), "sha": commit.json()["sha"] });
            let made = hubot(&service).post(&format!("{GIT}/refs"), body).await;
            // Without a grace period, an object may be removed before the ref is created; then no ref is.
            assert!(made.status == 201 || made.message() == "Object does not exist", "{made}");
        }
    };
    tokio::join!(tending, writing);
    tend(&service, eager(), &[]).await;
    let list = mona(&service).get(&format!("{GIT}/matching-refs/")).await.expect(200).json();
    let tips: Vec<String> = list.as_array().expect("a list").iter().map(|item| text(&item["object"]["sha"])).collect();
    let arguments: Vec<&str> =
        ["fsck", "--strict", "--no-dangling"].into_iter().chain(tips.iter().map(String::as_str)).collect();
    let (good, complaint) = git(&service, 1, &arguments);
    assert!(good, "{complaint}");
}
