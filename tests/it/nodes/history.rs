//! Three servers, many clients, and everything that can fail: what was acknowledged stays, and nobody reads the past.
//!
//! The seed is printed, and `PLINTH_TEST_SEED` sets it. `PLINTH_TEST_HISTORY_SECONDS` makes the run longer.

#![expect(clippy::print_stdout, reason = "the seed is needed to repeat a run that failed")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::registers::{Kind, Operation, check};
use super::storage::Storage;
use super::{Nodes, ROCKET, clone, get, git, json as body_of, remote, send, try_git};
use crate::process::{Raw, Server};
use crate::store::cluster::Cluster;
use crate::store::proxy::Proxy;
use crate::support::wait::wait_until;

pub const SERVERS: usize = 3;
const CLIENTS: usize = 8;
const REGISTERS: usize = 2;
const SECONDS: u64 = 25;
const TIMEOUT: Duration = Duration::from_secs(15);
/// The clocks of servers are ahead of that of the machine by so many seconds.
const SKEWS: [i64; SERVERS] = [0, 1_800, -900];
const CONTROL_TOKEN: &str = "control";

/// A small generator of numbers, so that a seed repeats a run as far as threads allow.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).expect("small")
    }
}

/// What all threads share.
struct Run {
    began: Instant,
    addresses: [Mutex<SocketAddr>; SERVERS],
    is_over: AtomicBool,
    values: AtomicU64,
    /// By branch, and by comment.
    refs: [Mutex<Vec<Operation>>; REGISTERS],
    comments: [Mutex<Vec<Operation>>; REGISTERS],
    comment_ids: [u64; REGISTERS],
    /// Comments whose creation was acknowledged.
    created: Mutex<Vec<u64>>,
    main: String,
}

impl Run {
    fn request(&self, server: usize, method: &str, path: &str, body: &Value) -> Option<(u16, Value)> {
        let address = *self.addresses[server].lock();
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(2)).ok()?;
        stream.set_read_timeout(Some(TIMEOUT)).ok()?;
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ghp_monamona\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        let mut response = Vec::new();
        stream.read_to_end(&mut response).ok()?;
        let text = String::from_utf8_lossy(&response);
        let status = text.split(' ').nth(1)?.parse().ok()?;
        let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        Some((status, serde_json::from_str(body).unwrap_or_default()))
    }

    fn note(&self, history: &Mutex<Vec<Operation>>, kind: Kind, value: String, began: Duration, is_known: bool) {
        let ended = is_known.then(|| self.began.elapsed());
        history.lock().push(Operation { kind, value, began, ended });
    }

    fn read(&self, history: &Mutex<Vec<Operation>>, server: usize, path: &str, pointer: &str) {
        let began = self.began.elapsed();
        let Some((200, found)) = self.request(server, "GET", path, &Value::Null) else { return };
        let value = found.pointer(pointer).and_then(Value::as_str).expect("a value").to_owned();
        self.note(history, Kind::Read, value, began, true);
    }

    /// Creates a commit through the API and moves a branch to it.
    fn move_branch(&self, server: usize, register: usize) {
        let number = self.values.fetch_add(1, Ordering::Relaxed);
        let commit = json!({ "message": format!("value {number}"), "tree": self.main, "parents": [] });
        let Some((201, commit)) = self.request(server, "POST", &format!("{ROCKET}/git/commits"), &commit) else {
            return;
        };
        let sha = commit["sha"].as_str().expect("a commit").to_owned();
        let began = self.began.elapsed();
        let body = json!({ "sha": sha, "force": true });
        let other = (server + 1) % SERVERS;
        // The commit was acknowledged, so every server has it.
        match self.request(other, "PATCH", &format!("{ROCKET}/git/refs/heads/register-{register}"), &body) {
            Some((200, _)) => self.note(&self.refs[register], Kind::Write, sha, began, true),
            Some((503, _)) | None => self.note(&self.refs[register], Kind::Write, sha, began, false),
            // Another client has moved it meanwhile.
            Some((409, _)) => {}
            Some((status, body)) => panic!("{status}: {body}"),
        }
    }

    fn push(&self, server: usize, register: usize, work: &std::path::Path) {
        let number = self.values.fetch_add(1, Ordering::Relaxed);
        let sha = git(work, &["commit-tree", "HEAD^{tree}", "-m", &format!("pushed {number}")]);
        let url = format!("http://x:ghp_monamona@{}/mona/rocket.git", *self.addresses[server].lock());
        let began = self.began.elapsed();
        let output =
            try_git(work, &["push", "--force", "--quiet", &url, &format!("{sha}:refs/heads/register-{register}")]);
        let text = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            self.note(&self.refs[register], Kind::Write, sha, began, true);
        } else if !text.contains("rejected") {
            self.note(&self.refs[register], Kind::Write, sha, began, false);
        }
    }

    fn edit_comment(&self, server: usize, register: usize) {
        let value = format!("value {}", self.values.fetch_add(1, Ordering::Relaxed));
        let began = self.began.elapsed();
        match self.request(server, "PATCH", &self.comment_path(register), &json!({ "body": value })) {
            Some((200, _)) => self.note(&self.comments[register], Kind::Write, value, began, true),
            Some((503, _)) | None => self.note(&self.comments[register], Kind::Write, value, began, false),
            Some((status, body)) => panic!("{status}: {body}"),
        }
    }

    fn comment_path(&self, register: usize) -> String {
        format!("{ROCKET}/issues/comments/{}", self.comment_ids[register])
    }

    fn client(&self, mut random: Random, work: &std::path::Path) {
        while !self.is_over.load(Ordering::Relaxed) {
            let (server, register) = (random.below(SERVERS), random.below(REGISTERS));
            let branch = format!("{ROCKET}/git/ref/heads/register-{register}");
            match random.below(10) {
                0..3 => self.read(&self.refs[register], server, &branch, "/object/sha"),
                3..5 => self.read(&self.comments[register], server, &self.comment_path(register), "/body"),
                5..7 => self.move_branch(server, register),
                7 => self.push(server, register, work),
                8 => self.edit_comment(server, register),
                _ => {
                    let body = json!({ "body": "kept" });
                    let made = self.request(server, "POST", &format!("{ROCKET}/issues/1/comments"), &body);
                    if let Some((201, made)) = made {
                        self.created.lock().push(made["id"].as_u64().expect("an id"));
                    }
                }
            }
        }
    }
}

/// A server with proxies to the database and the storage, and a clock of its own.
struct Node {
    name: String,
    /// How far its clock is ahead.
    skew_seconds: i64,
    server: Mutex<Option<Server>>,
    database: Proxy,
    storage: Proxy,
}

/// Does something to the servers of the storage, chosen by a random number below its argument.
pub type HarmStorage<'a> = &'a (dyn Fn(&mut dyn FnMut(usize) -> usize) + Sync);

/// Kills, cuts off and wipes one server after another, and kills the database.
fn harm(
    nodes: &Nodes,
    (servers, cluster): (&[Node], &Mutex<Cluster>),
    run: &Run,
    (harm_storage, mut random): (HarmStorage<'_>, Random),
) {
    while !run.is_over.load(Ordering::Relaxed) {
        harm_storage(&mut |limit| random.below(limit));
        std::thread::sleep(Duration::from_millis(300 + random.below(700) as u64));
        let index = random.below(SERVERS);
        let node = &servers[index];
        match random.below(9) {
            8 => {
                let mut cluster = cluster.lock();
                cluster.kill();
                std::thread::sleep(Duration::from_millis(random.below(1_000) as u64));
                cluster.bring_up();
                // It accepts connections before it has recovered, and a server that starts then would give up.
                super::wait_for_recovery(&cluster);
            }
            0 | 1 => {
                drop(node.server.lock().take());
                let started = start(nodes, node);
                *run.addresses[index].lock() = started.address;
                *node.server.lock() = Some(started);
            }
            2 | 3 => {
                node.database.fall_silent();
                std::thread::sleep(Duration::from_millis(1_000 + random.below(2_000) as u64));
                node.database.come_back();
            }
            4 | 5 => {
                node.storage.fall_silent();
                std::thread::sleep(Duration::from_millis(1_000 + random.below(2_000) as u64));
                node.storage.come_back();
            }
            _ => drop(std::fs::remove_dir_all(nodes.of(&node.name).join("data/repositories"))),
        }
    }
}

fn start(nodes: &Nodes, node: &Node) -> Server {
    let url = nodes.database_url();
    let (server, name) = url.rsplit_once('/').expect("the URL names a database");
    let (user, _) = server.rsplit_once('@').expect("the URL names a user");
    let endpoint = format!("http://{}", node.storage.address);
    let database = format!("{user}@{}/{name}", node.database.address);
    let control = ["--control", "127.0.0.1:0", "--control-token", CONTROL_TOKEN];
    let server = nodes.start_at_with(&node.name, (&database, &endpoint), &control);
    set_clock(&server, node.skew_seconds);
    server
}

/// Sets the clock of a server through its control interface.
fn set_clock(server: &Server, ahead_seconds: i64) {
    let mut raw = Raw(TcpStream::connect(server.control.expect("it has a control interface")).expect("it accepts"));
    let body = json!({ "advance_seconds": ahead_seconds }).to_string();
    let length = body.len();
    raw.send(&format!(
        "POST /_plinth/clock HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {CONTROL_TOKEN}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    ));
    let response = raw.response();
    assert_eq!(response.status(), 200, "{response:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn history_of_three_servers_is_linearizable() {
    let Some(storage) = Storage::start_s3() else { return };
    let address = storage.address();
    record_and_check(storage, [address; SERVERS], |_| {}).await;
}

/// Records a history on servers that reach the storage at these addresses, and checks it.
pub async fn record_and_check(
    storage: Storage,
    storage_addresses: [SocketAddr; SERVERS],
    harm_storage: impl Fn(&mut dyn FnMut(usize) -> usize) + Send + Sync + 'static,
) {
    // Of its own, since it is killed.
    let started = tokio::task::spawn_blocking(|| {
        let cluster = Cluster::start_with(|_| vec!["max_connections=120".into()])?;
        Some((Nodes::with_cluster(storage, &cluster), cluster))
    });
    let Some((nodes, cluster)) = started.await.expect("no panic") else { return };
    let url = nodes.database_url();
    let host = url.rsplit_once('/').and_then(|(server, _)| server.rsplit_once('@')).expect("a host").1;
    let database_address: SocketAddr = host.parse().expect("the test cluster has an address");
    let mut servers = Vec::new();
    for (index, skew_seconds) in SKEWS.into_iter().enumerate() {
        let (database, storage) = (Proxy::start(database_address).await, Proxy::start(storage_addresses[index]).await);
        let name = format!("node-{index}");
        servers.push(Node { name, skew_seconds, server: Mutex::new(None), database, storage });
    }
    tokio::task::spawn_blocking(move || {
        let cluster = Mutex::new(cluster);
        run(&nodes, &servers, &cluster, &harm_storage);
        // Its database is dropped while the cluster runs.
        drop(nodes);
    })
    .await
    .expect("the test does not panic");
}

fn run(nodes: &Nodes, servers: &[Node], cluster: &Mutex<Cluster>, harm_storage: HarmStorage<'_>) {
    let seed = std::env::var("PLINTH_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    let seed = seed.unwrap_or(u64::from(now.subsec_nanos()) | 1);
    println!("PLINTH_TEST_SEED={seed}");
    let seconds = std::env::var("PLINTH_TEST_HISTORY_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    for node in servers {
        *node.server.lock() = Some(start(nodes, node));
    }
    let address = |index: usize| servers[index].server.lock().as_ref().expect("it runs").address;
    let (tree, initial, comment_ids) = prepare(servers[0].server.lock().as_ref().expect("it runs"));
    let run = Run {
        began: Instant::now(),
        addresses: std::array::from_fn(|index| Mutex::new(address(index))),
        is_over: AtomicBool::new(false),
        values: AtomicU64::new(0),
        refs: Default::default(),
        comments: Default::default(),
        comment_ids,
        created: Mutex::default(),
        main: tree,
    };
    let works: Vec<_> = (0..CLIENTS)
        .map(|client| clone(servers[0].server.lock().as_ref().expect("it runs"), &nodes.of(&format!("work-{client}"))))
        .collect();
    std::thread::scope(|threads| {
        for (client, work) in works.iter().enumerate() {
            let (run, random) = (&run, Random(seed.wrapping_mul(2_654_435_761).wrapping_add(client as u64) | 1));
            threads.spawn(move || run.client(random, work));
        }
        threads.spawn(|| harm(nodes, (servers, cluster), &run, (harm_storage, Random(seed))));
        std::thread::sleep(Duration::from_secs(seconds.unwrap_or(SECONDS)));
        run.is_over.store(true, Ordering::Relaxed);
    });
    verify(nodes, servers, &run, &initial);
}

/// Creates the registers; returns a tree, the first target of all branches, and the comments.
fn prepare(server: &Server) -> (String, String, [u64; REGISTERS]) {
    let main = super::tip(server, "main");
    let tree = get(server, &format!("{ROCKET}/git/commits/{main}"))["tree"]["sha"].as_str().expect("a tree").to_owned();
    assert_eq!(send(server, "POST", &format!("{ROCKET}/issues"), &json!({ "title": "history" })).status(), 201);
    let comment_ids = std::array::from_fn(|register| {
        let body = json!({ "ref": format!("refs/heads/register-{register}"), "sha": main });
        assert_eq!(send(server, "POST", &format!("{ROCKET}/git/refs"), &body).status(), 201);
        let made = send(server, "POST", &format!("{ROCKET}/issues/1/comments"), &json!({ "body": "initial" }));
        body_of(&made)["id"].as_u64().expect("an id")
    });
    (tree, main, comment_ids)
}

fn verify(nodes: &Nodes, servers: &[Node], run: &Run, initial: &str) {
    let mut tips = Vec::new();
    for node in servers {
        node.database.come_back();
        node.storage.come_back();
        let guard = node.server.lock();
        let server = guard.as_ref().expect("it runs");
        wait_until("the server is ready", || server.request("GET /readyz HTTP/1.1", "").status() == 200);
        wait_until("the server fetches packs again", || {
            try_git(nodes.path(), &["ls-remote", &remote(server)]).status.success()
        });
        wait_until("git can clone", || {
            let target = nodes.of(&format!("last-{}", node.name));
            let _ = std::fs::remove_dir_all(&target);
            try_git(nodes.path(), &["clone", "--quiet", "--mirror", &remote(server), &target.display().to_string()])
                .status
                .success()
        });
        git(&nodes.of(&format!("last-{}", node.name)), &["fsck", "--strict"]);
        for id in run.created.lock().iter() {
            assert_eq!(server.get(&format!("{ROCKET}/issues/comments/{id}")).status(), 200, "comment {id} is lost");
        }
        tips.push([0, 1].map(|register| super::tip(server, &format!("register-{register}"))));
        for register in 0..REGISTERS {
            run.read(
                &run.refs[register],
                tips.len() - 1,
                &format!("{ROCKET}/git/ref/heads/register-{register}"),
                "/object/sha",
            );
            run.read(&run.comments[register], tips.len() - 1, &run.comment_path(register), "/body");
        }
    }
    assert!(tips.windows(2).all(|pair| pair[0] == pair[1]), "{tips:?}");
    let mut acknowledged = 0;
    for register in 0..REGISTERS {
        for (what, first, history) in
            [("branch", initial, &run.refs[register]), ("comment", "initial", &run.comments[register])]
        {
            let history = history.lock();
            acknowledged += history.iter().filter(|operation| operation.ended.is_some()).count();
            check(first, &history).unwrap_or_else(|why| panic!("{what} {register}: {why}"));
        }
    }
    println!("{acknowledged} operations on registers, {} new comments", run.created.lock().len());
    assert!(acknowledged > 50, "{acknowledged} operations were acknowledged");
}
