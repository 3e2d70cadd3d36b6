//! Deletion of a repository with very many refs, by callers and by commands, and a server that is killed during it.

use std::path::PathBuf;

use plinth_base::ids::RepoId;
use plinth_core::repos::deletion::{self, Batch, Part};
use plinth_store::{Durability, Location, Store, params};

use super::support::{Victim, git};
use crate::support::Tester;
use crate::support::wait::wait_until;

/// `mallory/target`.
const TARGET: RepoId = RepoId(1);
const REFS: i64 = 20_000;

/// Runs on the store of a victim, whether or not the server runs.
fn with_store<T>(victim: &Victim, work: impl AsyncFnOnce(Store) -> T) -> T {
    let location = match victim.database_flags().pop() {
        Some(url) => Location::Postgres { url, connections_max: 2, epoch_file: None },
        None => Location::Sqlite { file: victim.path().join("data/plinth.db"), durability: Durability::ProcessCrash },
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
    runtime.block_on(async { work(Store::open(&location).await.expect("the store opens")).await })
}

fn add_refs(victim: &Victim) {
    with_store(victim, async |store| {
        let work = store.write(Tester, (), |tx, ()| {
            Box::pin(async move {
                for number in 0..REFS {
                    let (name, target) = (format!("refs/heads/many/{number:06}"), vec![0u8; 20]);
                    let sql = "insert into git_ref values ($1, $2, $3, 'commit')";
                    tx.content_only().execute(sql, params![TARGET, name, target]).await?;
                }
                Ok(())
            })
        });
        work.await.expect("the store accepts the rows");
    });
}

/// The refs and the rows of the repository that are left.
fn left(victim: &Victim) -> (i64, i64) {
    with_store(victim, async |store| {
        let mut db = store.read().await.expect("the store can be read");
        let refs = db.one::<(i64,)>("select count(*) from git_ref where repo_id = $1", params![TARGET]).await;
        let repos = db.one::<(i64,)>("select count(*) from repo where id = $1", params![TARGET]).await;
        (refs.expect("the store can be read").0, repos.expect("the store can be read").0)
    })
}

fn directory(victim: &Victim) -> PathBuf {
    victim.path().join(format!("data/repositories/{:02x}/{TARGET}.git", TARGET.0))
}

#[track_caller]
fn wait_until_removed(victim: &Victim) {
    wait_until("everything is removed", || left(victim) == (0, 0));
    assert!(!directory(victim).exists());
}

fn can_clone(victim: &Victim) -> bool {
    git(victim.path(), &["ls-remote", &victim.push_url()]).status.success()
}

#[test]
fn server_killed_after_deletion_removes_the_rest_after_restart() {
    let mut victim = Victim::start(&[]);
    add_refs(&victim);
    assert!(can_clone(&victim));
    assert_eq!(victim.send("ghp_mallory", "DELETE", "/repos/mallory/target", "").status(), 204);
    victim.stop();
    // So that the next start does not create it again.
    std::fs::write(victim.path().join("state.yaml"), "{}").expect("the file can be written");
    victim.restart();
    assert_eq!(victim.get("ghp_mallory", "/repos/mallory/target").status(), 404);
    assert!(!can_clone(&victim));
    wait_until_removed(&victim);
    victim.assert_unharmed();
}

/// Deterministic, while the server above may have finished before it was killed.
#[test]
fn start_continues_a_removal_that_was_interrupted() {
    let mut victim = Victim::start(&[]);
    add_refs(&victim);
    victim.stop();
    let removed = with_store(&victim, async |store| {
        let work = store.write(Tester, (), |tx, ()| {
            Box::pin(async move {
                deletion::mark(tx, TARGET).await?;
                deletion::remove_batch(tx, TARGET, Part::Content, 500).await
            })
        });
        work.await.expect("the store accepts the change")
    });
    assert_eq!(removed, Batch::Removed(500));
    let (refs, repos) = left(&victim);
    assert!(refs > 0 && repos == 1 && directory(&victim).exists());
    victim.restart();
    // The state file has created it again.
    assert_eq!(victim.get("ghp_mallory", "/repos/mallory/target/git/ref/heads/main").status(), 200);
    assert_eq!(victim.get("ghp_mallory", "/repos/mallory/target/git/ref/heads/many/000001").status(), 404);
    wait_until_removed(&victim);
    assert!(can_clone(&victim));
    victim.assert_unharmed();
}

#[test]
fn command_deletes_repository_with_and_without_server() {
    let mut victim = Victim::start(&[]);
    add_refs(&victim);
    assert_eq!(victim.get("ghp_mallory", "/repos/mallory/target/git/ref/heads/main").status(), 200);
    let delete = |victim: &Victim, name: &str| {
        let done = victim.command(&["repo", "delete", name]);
        assert!(done.status.success(), "{done:?}");
        assert_eq!(String::from_utf8_lossy(&done.stdout), format!("deleted {name}\n"));
    };
    let bystander = victim.bystander();
    delete(&victim, "mallory/target");
    bystander.assert_served();
    assert_eq!(victim.get("ghp_mallory", "/repos/mallory/target/git/ref/heads/main").status(), 404);
    assert_eq!(left(&victim), (0, 0));
    assert!(!directory(&victim).exists());
    victim.stop();
    delete(&victim, "victor/quiet");
    let listed = victim.command(&["repo", "list"]);
    assert_eq!(String::from_utf8_lossy(&listed.stdout), "");
}
