//! Several servers whose primary of PostgreSQL fails, and whose standby is promoted.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use serde_json::json;
use tokio_postgres::NoTls;

use super::storage::Storage;
use super::{Nodes, ROCKET, clone, get, git, json as body_of, remote, send, try_git, wait_for_recovery};
use crate::process::Server;
use crate::store::cluster::Cluster;
use crate::support::TestDatabase;
use crate::support::wait::wait_until;

/// Writes that each server acknowledges before and after each step.
const WRITES: usize = 10;

/// A primary and its standby. Fields are dropped in this order.
struct Pair {
    primary: Cluster,
    standby: Cluster,
    _directories: [tempfile::TempDir; 2],
}

impl Pair {
    /// Commits wait for the standby, as far as `synchronous_commit` says so.
    fn start(synchronous_commit: &str) -> Option<Self> {
        let directories = [(); 2].map(|()| tempfile::tempdir().expect("a temporary directory can be created"));
        let settings = vec![format!("synchronous_commit={synchronous_commit}")];
        let primary = Cluster::start_in(directories[0].path(), |_| settings)?;
        wait_for_recovery(&primary);
        let standby = Cluster::start_standby_in(directories[1].path(), &primary)?;
        let pair = Self { primary, standby, _directories: directories };
        // Only the primary: a promoted standby has none of its own to wait for.
        query(&pair.primary, "alter system set synchronous_standby_names = '*'");
        query(&pair.primary, "select pg_reload_conf()::text");
        wait_until("the standby is synchronous", || {
            query(&pair.primary, "select count(*)::text from pg_stat_replication where sync_state = 'sync'") == ["1"]
        });
        Some(pair)
    }

    fn nodes(&self) -> Nodes {
        let [a, b] = [self.primary.port(), self.standby.port()];
        let url = format!("postgres://postgres@127.0.0.1:{a},127.0.0.1:{b}/postgres?target_session_attrs=read-write");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let database = runtime.expect("a runtime can be created").block_on(TestDatabase::create_on(url));
        Nodes::with(Storage::start(), database).expect("it is PostgreSQL")
    }
}

/// The first column of all rows that a statement of an administrator returns.
pub fn query(cluster: &Cluster, sql: &str) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be created");
    runtime.block_on(async {
        let (client, connection) =
            tokio_postgres::connect(&cluster.url(), NoTls).await.expect("it accepts connections");
        let connection = tokio::spawn(connection);
        let rows = client.query(sql, &[]).await.expect("it executes the statement");
        drop(client);
        let _ = connection.await;
        rows.iter().map(|row| row.get(0)).collect()
    })
}

fn start(nodes: &Nodes, name: &str) -> Server {
    let database = format!("{}?target_session_attrs=read-write", nodes.database_url());
    // Both servers together must not need more than a standby of the tests accepts.
    nodes.start_at_with(name, (&database, &nodes.storage.endpoint_url()), &["--database-connections", "8"])
}

/// What was acknowledged, as paths that exist, and how much of it by each server.
#[derive(Default)]
struct Acknowledged {
    paths: Mutex<BTreeSet<String>>,
    counts: [AtomicUsize; 2],
    is_over: AtomicBool,
}

impl Acknowledged {
    fn add(&self, server: usize, path: String) {
        self.paths.lock().insert(path);
        self.counts[server].fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until both servers have acknowledged more writes.
    fn wait_for_more(&self, what: &str) {
        let before = [0, 1].map(|server| self.counts[server].load(Ordering::Relaxed));
        wait_until(what, || {
            (0..2).all(|server| self.counts[server].load(Ordering::Relaxed) >= before[server] + WRITES)
        });
    }

    /// Creates comments and branches until the end, with different names at both servers.
    fn write(&self, index: usize, server: &Server, commit: &str) {
        let mut number = 0;
        while !self.is_over.load(Ordering::Relaxed) {
            number += 1;
            let comment = json!({ "body": format!("{number} of {index}") });
            let made = send(server, "POST", &format!("{ROCKET}/issues/1/comments"), &comment);
            match made.status() {
                201 => self.add(index, format!("{ROCKET}/issues/comments/{}", body_of(&made)["id"])),
                status => assert_eq!(status, 503, "{made:?}"),
            }
            let branch = format!("heads/made/{index}-{number}");
            let made = send(
                server,
                "POST",
                &format!("{ROCKET}/git/refs"),
                &json!({ "ref": format!("refs/{branch}"), "sha": commit }),
            );
            match made.status() {
                201 => self.add(index, format!("{ROCKET}/git/ref/{branch}")),
                status => assert_eq!(status, 503, "{made:?}"),
            }
        }
    }

    /// Pushes commits until the end.
    fn push(&self, index: usize, server: &Server, work: &Path) {
        let mut number = 0;
        while !self.is_over.load(Ordering::Relaxed) {
            number += 1;
            let sha = git(work, &["commit-tree", "HEAD^{tree}", "-m", &format!("{number} of {index}")]);
            let branch = format!("heads/pushed/{index}-{number}");
            let pushed = try_git(work, &["push", "--quiet", &remote(server), &format!("{sha}:refs/{branch}")]);
            if pushed.status.success() {
                self.add(index, format!("{ROCKET}/git/ref/{branch}"));
                self.add(index, format!("{ROCKET}/git/commits/{sha}"));
            }
        }
    }

    /// What a server does not have.
    fn lost(&self, server: &Server) -> Vec<String> {
        let paths = self.paths.lock();
        paths.iter().filter(|path| server.get(path).status() != 200).cloned().collect()
    }
}

/// Two servers, and writes through both of them while `harm` runs.
fn run(pair: &mut Pair, harm: impl FnOnce(&mut Pair, &Acknowledged)) -> (Nodes, [Server; 2], Acknowledged) {
    let nodes = pair.nodes();
    let servers = [start(&nodes, "a"), start(&nodes, "b")];
    assert_eq!(send(&servers[0], "POST", &format!("{ROCKET}/issues"), &json!({ "title": "failover" })).status(), 201);
    let works = [0, 1].map(|index| clone(&servers[index], &nodes.of(&format!("work-{index}"))));
    let commit = super::tip(&servers[0], "main");
    let acknowledged = Acknowledged::default();
    std::thread::scope(|threads| {
        for (index, server) in servers.iter().enumerate() {
            let (acknowledged, commit, work) = (&acknowledged, &commit, &works[index]);
            threads.spawn(move || acknowledged.write(index, server, commit));
            threads.spawn(move || acknowledged.push(index, server, work));
        }
        let harmed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| harm(pair, &acknowledged)));
        acknowledged.is_over.store(true, Ordering::Relaxed);
        harmed.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
    (nodes, servers, acknowledged)
}

#[test]
fn servers_follow_a_promoted_standby_and_lose_nothing() {
    let Some(mut pair) = Pair::start("on") else { return };
    let (nodes, servers, acknowledged) = run(&mut pair, |pair, acknowledged| {
        acknowledged.wait_for_more("both servers write to the primary");
        pair.primary.kill();
        pair.standby.promote();
        acknowledged.wait_for_more("both servers write to the promoted standby");
    });
    for (index, server) in servers.iter().enumerate() {
        assert_eq!(acknowledged.lost(server), Vec::<String>::new());
        let copy = nodes.of(&format!("copy-{index}"));
        git(&clone(server, &copy), &["fsck", "--strict"]);
    }
    let branches = |server: &Server| get(server, &format!("{ROCKET}/git/matching-refs/heads")).to_string();
    assert_eq!(branches(&servers[0]).replace(&servers[0].address.to_string(), ""), {
        branches(&servers[1]).replace(&servers[1].address.to_string(), "")
    });
    drop((servers, nodes));
}

/// The control: what only the primary has is lost with it, and the check above must detect that.
#[test]
fn promotion_of_a_lagging_standby_is_detected_as_a_loss() {
    let Some(mut pair) = Pair::start("local") else { return };
    let (nodes, servers, acknowledged) = run(&mut pair, |pair, acknowledged| {
        acknowledged.wait_for_more("both servers write to the primary");
        pair.standby.kill();
        acknowledged.wait_for_more("both servers write without the standby");
        pair.primary.kill();
        pair.standby.bring_up();
        wait_until("the standby executes statements", || accepts(&pair.standby));
        pair.standby.promote();
        acknowledged.wait_for_more("both servers write to the promoted standby");
    });
    assert_ne!(acknowledged.lost(&servers[0]), Vec::<String>::new());
    drop((servers, nodes));
}

fn accepts(cluster: &Cluster) -> bool {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be created");
    runtime.block_on(async { tokio_postgres::connect(&cluster.url(), NoTls).await.is_ok() })
}
