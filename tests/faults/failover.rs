//! F10: the primary of PostgreSQL fails, and its standby is promoted. The service moves to the new primary by itself, no
//! acknowledged write is lost, and the old primary is never written to when it comes back.

use std::path::PathBuf;
use std::time::Duration;

use crate::checker::{check, expect_forgeries_noticed, expect_whole};
use crate::cluster::Cluster;
use crate::database::{AWAY, Hung, RECOVERY_MAX, check_away, check_unready, unexpected};
use crate::load::{Load, Plan, Rejections};
use crate::settings::{self, figure, progress, sized, skip};
use crate::subject::{Subject, statement, wait_for_statements};

/// From the end of the promotion until work continues. A silent primary is detected by timeouts.
const FAILOVER_MAX: Duration = Duration::from_secs(10);
/// What the clients of one round write before and after each step.
const WRITES: usize = 20;
const CLOSE_CONNECTIONS: &str =
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'plinth'";
/// Server processes that wait for the standby. They do so until it is back, even without a client.
const WAITING_FOR_STANDBY: &str = "select count(*)::text from pg_stat_activity where wait_event = 'SyncRep'";
/// The service's limit for one statement.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(12);
/// Grows with every transaction that writes.
const NEXT_TRANSACTION: &str = "select txid_snapshot_xmax(txid_current_snapshot())::text";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    Kill,
    /// The primary stays reachable and never responds, so nothing is reset.
    Hang,
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F10"]
fn f10_service_moves_to_promoted_standby_after_kill() {
    fail_over(Failure::Kill);
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F10"]
fn f10_service_moves_to_promoted_standby_after_hang() {
    fail_over(Failure::Hang);
}

#[test]
#[ignore = "a fault case: cargo xtask faults --only F10"]
fn f10_nothing_is_acknowledged_without_synchronous_standby() {
    let case = "F10, no standby";
    let Some(mut pair) = Pair::start(case, "on") else { return };
    let subject = pair.subject();
    let plan = Plan { writers: 3, pushers: 1, readers: 0, rejections: Rejections::Ambiguous, seed: 1, round: 0 };
    std::thread::scope(|scope| {
        let load = Load::start(scope, &subject, plan);
        load.seen.expect_more(WRITES);
        pair.nodes[1].kill();
        // Whatever the standby has confirmed before is acknowledged now.
        std::thread::sleep(AWAY);
        let before = load.seen.created();
        check_unready(&subject);
        // The first commits have been given up, and the clients have tried again.
        std::thread::sleep(STATEMENT_TIMEOUT + AWAY);
        let processes: usize = query(pair.primary(), WAITING_FOR_STANDBY).parse().expect("a number");
        // One of each client, and the probe.
        assert!((1..=plan.writers + plan.pushers + 1).contains(&processes), "{processes} processes wait");
        check_unready(&subject);
        // A ref may be updated to the commit that it has: nothing is written for that.
        assert_eq!(load.seen.created(), before, "something was created without the standby");
        pair.nodes[1].bring_up();
        load.seen.expect_more(WRITES);
        load.stop();
    });
    let acknowledged = expect_whole(&subject, case).acknowledged;
    figure(&format!("{case}: nothing acknowledged meanwhile, {acknowledged} writes, 0 lost"));
}

/// The control: what only the primary has is lost with it, and this must be detected.
#[test]
#[ignore = "a fault case: cargo xtask faults --only F10"]
fn f10_control_failover_to_lagging_standby_loses_writes() {
    let case = "F10 control, synchronous_commit=local";
    let Some(mut pair) = Pair::start(case, "local") else { return };
    let subject = pair.subject();
    let plan = Plan { writers: 3, pushers: 1, readers: 0, rejections: Rejections::Ambiguous, seed: 1, round: 0 };
    std::thread::scope(|scope| {
        let load = Load::start(scope, &subject, plan);
        load.seen.expect_more(WRITES);
        pair.nodes[1].kill();
        load.seen.expect_more(WRITES);
        pair.nodes[0].kill();
        pair.nodes[1].bring_up();
        wait_for_statements(&pair.nodes[1]);
        pair.nodes[1].promote();
        let recovered = load.seen.wait_for_more(1, FAILOVER_MAX);
        assert!(recovered.is_some(), "{case}: no recovery in {FAILOVER_MAX:?}");
        load.stop();
    });
    let lost = check(&subject).err().unwrap_or_default();
    assert!(!lost.is_empty(), "{case}: nobody noticed a loss");
    figure(&format!("{case}: {} differences detected, as it must be", lost.len()));
}

fn fail_over(failure: Failure) {
    let case = format!("F10, failover after {failure:?}");
    let Some(mut pair) = Pair::start(&case, "on") else { return };
    let mut subject = pair.subject();
    let (seed, rounds) = (settings::seed(&case), sized(1, 10));
    let (mut slowest, mut acknowledged) = (Duration::ZERO, 0);
    for round in 0..rounds {
        let plan = Plan { writers: 3, pushers: 1, readers: 1, rejections: Rejections::Ambiguous, seed, round };
        let (seen, recovery, untouched) = std::thread::scope(|scope| {
            let load = Load::start(scope, &subject, plan);
            load.seen.expect_more(WRITES);
            let hung = pair.fail(failure);
            check_away(&subject, &load.seen);
            pair.standby().promote();
            let recovery = load.seen.wait_for_more(1, FAILOVER_MAX);
            load.seen.expect_more(WRITES);
            // The old primary comes back as one: writable, and the first host that connections try.
            let untouched = pair.return_stale(failure, hung);
            statement(pair.standby(), CLOSE_CONNECTIONS).expect("the new primary executes a statement");
            let again = load.seen.wait_for_more(1, RECOVERY_MAX);
            assert!(again.is_some(), "{case}: no recovery while the old primary is back");
            load.seen.expect_more(WRITES);
            (load.stop(), recovery, untouched)
        });
        slowest = slowest.max(recovery.unwrap_or_else(|| panic!("{case}: no recovery in {FAILOVER_MAX:?}")));
        assert_eq!(unexpected(&seen), Vec::<String>::new(), "{case}");
        // A new process has to distinguish them too.
        subject.restart();
        acknowledged = expect_whole(&subject, &format!("{case}, round {round}")).acknowledged;
        if let Some(before) = untouched {
            assert_eq!(query(pair.primary(), NEXT_TRANSACTION), before, "{case}: the old primary was written to");
        }
        pair.swap_roles();
        progress(&format!("{case}: {} rounds, {acknowledged} acknowledged, none lost", round + 1));
    }
    expect_forgeries_noticed(subject.server(), subject.ledger());
    figure(&format!(
        "{case}: {rounds} times, {acknowledged} acknowledged writes, 0 lost, only 503 meanwhile, work goes on {slowest:.2?} \
         after the promotion"
    ));
}

/// A primary and its standby. Fields are dropped in this order.
struct Pair {
    nodes: [Cluster; 2],
    directories: [PathBuf; 2],
    /// The index of the primary; during a failover, of the failed one.
    primary: usize,
    _home: tempfile::TempDir,
}

impl Pair {
    /// With synchronous replication, as far as `synchronous_commit` respects it.
    fn start(case: &str, synchronous_commit: &str) -> Option<Self> {
        let home = tempfile::tempdir().expect("a temporary directory can be created");
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(home.path(), open).expect("it is ours");
        let directories = ["a", "b"].map(|name| home.path().join(name));
        directories.iter().for_each(|path| std::fs::create_dir(path).expect("a directory can be created"));
        let settings = vec![format!("synchronous_commit={synchronous_commit}")];
        let Some(primary) = Cluster::start_in(&directories[0], |_| settings) else {
            skip(&format!("{case}: PLINTH_TEST_POSTGRES_BIN names no programs"));
            return None;
        };
        wait_for_statements(&primary);
        let standby = Cluster::start_standby_in(&directories[1], &primary)?;
        let pair = Self { nodes: [primary, standby], directories, primary: 0, _home: home };
        pair.replicate_synchronously();
        Some(pair)
    }

    /// A server that knows both nodes.
    fn subject(&self) -> Subject {
        let [a, b] = [self.nodes[0].port(), self.nodes[1].port()];
        let url = format!("postgres://postgres@127.0.0.1:{a},127.0.0.1:{b}/postgres?target_session_attrs=read-write");
        Subject::start(None, &["--database", &url])
    }

    fn primary(&self) -> &Cluster {
        &self.nodes[self.primary]
    }

    fn standby(&self) -> &Cluster {
        &self.nodes[1 - self.primary]
    }

    /// The standby has no standby of its own, so it must not wait for one when it is promoted.
    fn replicate_synchronously(&self) {
        wait_for_statements(self.standby());
        for (node, sql) in [
            (self.standby(), "alter system reset synchronous_standby_names"),
            (self.primary(), "alter system set synchronous_standby_names = '*'"),
        ] {
            statement(node, sql).expect("the node executes a statement");
            statement(node, "select pg_reload_conf()").expect("the node executes a statement");
        }
    }

    fn fail(&mut self, failure: Failure) -> Option<Hung> {
        match failure {
            Failure::Kill => {
                self.nodes[self.primary].kill();
                None
            }
            Failure::Hang => Some(Hung::stop(&self.directories[self.primary])),
        }
    }

    /// Lets the failed primary run again, as one that waits for no standby if it was killed. Returns its next transaction
    /// if nothing but a client can write to it.
    fn return_stale(&mut self, failure: Failure, hung: Option<Hung>) -> Option<String> {
        drop(hung);
        if failure == Failure::Hang {
            return None;
        }
        let stale = &mut self.nodes[self.primary];
        stale.set_settings(&["synchronous_standby_names=", "autovacuum=off"]);
        stale.bring_up();
        wait_for_statements(stale);
        Some(query(stale, NEXT_TRANSACTION))
    }

    /// Makes the old primary a standby of the new one.
    fn swap_roles(&mut self) {
        self.primary = 1 - self.primary;
        let [a, b] = &mut self.nodes;
        if self.primary == 0 {
            b.copy_from(a);
        } else {
            a.copy_from(b);
        }
        self.replicate_synchronously();
    }
}

/// The only value of the only row.
fn query(cluster: &Cluster, sql: &str) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be created");
    runtime.block_on(async {
        let (client, connection) =
            tokio_postgres::connect(&cluster.url(), tokio_postgres::NoTls).await.expect("the node accepts connections");
        let connection = tokio::spawn(connection);
        let row = client.query_one(sql, &[]).await.expect("the node executes a statement");
        let value = row.get(0);
        drop(client);
        let _ = connection.await;
        value
    })
}
