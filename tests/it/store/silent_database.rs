//! PostgreSQL that goes away without a word: connections stay open and nothing comes back on them.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::body::Body;
use futures_util::future::join_all;
use http::Request;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::support::{TestDatabase, Tester};
use plinth_api::app::App;
use plinth_api::server::HttpService;
use plinth_api::settings::Settings;
use plinth_base::clock::Clock;
use plinth_git::Repositories;
use plinth_store::{Location, Node, Store, Value};

const CONNECTIONS: usize = 4;
/// What the readiness endpoint promises.
const READINESS_MAX: Duration = Duration::from_secs(1);
/// Long enough for a busy machine, far below what an operator would wait.
const RECOVERY_MAX: Duration = Duration::from_secs(15);

/// A proxy that can fall silent. Connections from before that never speak again, as after a failover without a reset.
struct Proxy {
    address: SocketAddr,
    silences: watch::Sender<u64>,
    is_silent: Arc<AtomicBool>,
}

impl Proxy {
    async fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (silences, watching) = watch::channel(0);
        let is_silent = Arc::new(AtomicBool::new(false));
        let silent = is_silent.clone();
        tokio::spawn(async move {
            let mut held = Vec::new();
            while let Ok((client, _)) = listener.accept().await {
                if silent.load(Ordering::SeqCst) {
                    // Accepted, held open, never answered.
                    held.push(client);
                } else {
                    tokio::spawn(forward(client, target, watching.clone()));
                }
            }
        });
        Self { address, silences, is_silent }
    }

    fn fall_silent(&self) {
        self.is_silent.store(true, Ordering::SeqCst);
        self.silences.send_modify(|count| *count += 1);
    }

    fn come_back(&self) {
        self.is_silent.store(false, Ordering::SeqCst);
    }
}

async fn forward(client: TcpStream, target: SocketAddr, mut silences: watch::Receiver<u64>) {
    silences.mark_unchanged();
    let Ok(server) = TcpStream::connect(target).await else { return };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let there = async {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = from_client.read(&mut buffer).await {
            if to_server.write_all(&buffer[..count]).await.is_err() {
                break;
            }
        }
    };
    let back = async {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = from_server.read(&mut buffer).await {
            if to_client.write_all(&buffer[..count]).await.is_err() {
                break;
            }
        }
    };
    let is_silent = tokio::select! {
        () = there => false,
        () = back => false,
        changed = silences.changed() => changed.is_ok(),
    };
    if is_silent {
        // Both sockets stay open, and what is sent is acknowledged by the kernel.
        std::future::pending::<()>().await;
    }
}

/// The URL of the same database through a proxy.
async fn proxied(url: &str) -> (Proxy, String) {
    let mut url = url::Url::parse(url).expect("a URL");
    let target = url.socket_addrs(|| Some(5432)).expect("an address")[0];
    let proxy = Proxy::start(target).await;
    url.set_host(Some("127.0.0.1")).expect("a host");
    url.set_port(Some(proxy.address.port())).expect("a port");
    (proxy, url.to_string())
}

/// A service whose database is behind a proxy, with every connection of its pool open.
async fn behind_a_proxy(url: &str, data: &std::path::Path) -> (Proxy, Store, HttpService) {
    let (proxy, url) = proxied(url).await;
    let location = Location::Postgres { url, connections_max: CONNECTIONS };
    let store = Store::open(&location).await.expect("the database answers");
    let repositories = Repositories::at(data).expect("a directory can be made");
    let settings = Settings::default();
    let app = App::new(store.clone(), repositories, Clock::default(), settings).await.expect("the parts fit");
    assert!(
        join_all((0..CONNECTIONS).map(|_| read(&store, "select 1::bigint from pg_sleep(0.2)")))
            .await
            .iter()
            .all(|ok| *ok)
    );
    (proxy, store, HttpService::new(app))
}

async fn read(store: &Store, sql: &'static str) -> bool {
    match store.read().await {
        Ok(mut db) => db.all::<(i64,)>(sql, &[]).await.is_ok(),
        Err(_) => false,
    }
}

/// The status, which must come in time whatever the database does. A busy machine may be late once.
async fn readiness(door: &HttpService) -> u16 {
    let (status, took) = timed_readiness(door).await;
    if took < READINESS_MAX {
        return status;
    }
    let (status, again) = timed_readiness(door).await;
    assert!(again < READINESS_MAX, "readiness took {took:?} and then {again:?}");
    status
}

async fn timed_readiness(door: &HttpService) -> (u16, Duration) {
    let request = Request::builder().uri("/readyz").header("host", "plinth.test").body(Body::empty());
    let started = Instant::now();
    let response = door.respond(request.expect("a good request"), IpAddr::V4(Ipv4Addr::LOCALHOST));
    let response = tokio::time::timeout(READINESS_MAX * 5, response).await.expect("readiness hangs");
    (response.status().as_u16(), started.elapsed())
}

async fn wait_for_readiness(door: &HttpService, status: u16) {
    let started = Instant::now();
    while readiness(door).await != status {
        assert!(started.elapsed() < RECOVERY_MAX, "readiness is never {status}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reads_recover_after_the_database_went_silent() {
    let database = TestDatabase::create().await;
    let Some(url) = database.url() else {
        println!("skipped: no PostgreSQL is named");
        return;
    };
    let data = tempfile::tempdir().expect("a temporary directory can be made");
    let (proxy, store, door) = behind_a_proxy(&url, data.path()).await;
    assert_eq!(readiness(&door).await, 200);

    proxy.fall_silent();
    // Every connection of the pool waits for an answer that never comes.
    let hanging: Vec<_> = (0..CONNECTIONS * 2)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { read(&store, "select 1::bigint").await })
        })
        .collect();
    wait_for_readiness(&door, 503).await;

    proxy.come_back();
    let back = Instant::now();
    while !read(&store, "select 1::bigint").await {
        assert!(back.elapsed() < RECOVERY_MAX, "reads never recover");
    }
    wait_for_readiness(&door, 200).await;
    for hanging in hanging {
        tokio::time::timeout(RECOVERY_MAX, hanging).await.expect("a read hangs for ever").expect("no panic");
    }
    let all = join_all((0..CONNECTIONS * 2).map(|_| read(&store, "select 1::bigint"))).await;
    assert!(all.iter().all(|ok| *ok), "a dead connection went back to the pool: {all:?}");
}

/// Nobody notices while nothing is asked; the first one who asks must not get a dead connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn idle_connections_that_died_silently_are_not_used() {
    let database = TestDatabase::create().await;
    let Some(url) = database.url() else {
        println!("skipped: no PostgreSQL is named");
        return;
    };
    let data = tempfile::tempdir().expect("a temporary directory can be made");
    let (proxy, store, _door) = behind_a_proxy(&url, data.path()).await;
    proxy.fall_silent();
    proxy.come_back();
    // Long enough that connections count as idle.
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    let reading = join_all((0..CONNECTIONS).map(|_| read(&store, "select 1::bigint")));
    let read = tokio::time::timeout(RECOVERY_MAX, reading).await.expect("reads hang");
    assert!(read.iter().all(|ok| *ok), "{read:?}");
}

/// A caller that goes away leaves a statement behind that is still running. The next caller must not wait for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_connection_with_an_unfinished_statement_is_not_used_again() {
    let database = TestDatabase::create().await;
    if database.url().is_none() {
        println!("skipped: no PostgreSQL is named");
        return;
    }
    let store = database.open().await;
    let backend = |store: Store| async move {
        let mut db = store.read().await.expect("the database answers");
        db.one::<(i64,)>("select pg_backend_pid()::bigint", &[]).await.expect("the database answers").0
    };
    let before = backend(store.clone()).await;
    let mut db = store.read().await.expect("the database answers");
    let (same,) = db.one::<(i64,)>("select pg_backend_pid()::bigint", &[]).await.expect("the database answers");
    assert_eq!(before, same, "connections are used again");
    let sleeping = db.optional::<(i64,)>("select 1::bigint from pg_sleep(8)", &[]);
    assert!(tokio::time::timeout(Duration::from_millis(300), sleeping).await.is_err(), "it sleeps");
    drop(db);
    let started = Instant::now();
    assert_ne!(backend(store).await, before, "the statement is still running there");
    assert!(started.elapsed() < Duration::from_secs(5), "the next caller waited for the statement of another");
}

/// A host that is away is passed over, and one that takes writes is told from a standby.
#[tokio::test]
async fn several_hosts_are_tried_until_one_takes_writes() {
    let database = TestDatabase::create().await;
    let Some(url) = database.url() else {
        println!("skipped: no PostgreSQL is named");
        return;
    };
    let away = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("an address");
    let url = url.replacen('@', &format!("@127.0.0.1:{},", away.port()), 1);
    let open = |attributes: &str| {
        let url = format!("{url}?target_session_attrs={attributes}");
        async move { Store::open(&Location::Postgres { url, connections_max: 2 }).await }
    };
    let store = open("read-write").await.expect("the second host takes writes");
    assert!(read(&store, "select 1::bigint").await);
    assert!(open("read-only").await.is_err(), "the only host that answers takes writes");
}

async fn put(store: &Store, name: String) -> bool {
    let sql = "insert into setting (name, value) values ($1, 'x')";
    let put = store
        .write(Tester, name, move |tx, name| Box::pin(async move { Ok(tx.execute(sql, &[Value::Text(name)]).await?) }));
    put.await.is_ok()
}

/// The node that serves a database holds a lock on a session of its own, and transactions hold locks. The server does not
/// notice that nobody is at the other end of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writes_recover_although_the_server_believes_in_lost_sessions() {
    let database = TestDatabase::create().await;
    let Some(url) = database.url() else {
        println!("skipped: no PostgreSQL is named");
        return;
    };
    let (proxy, url) = proxied(&url).await;
    let text = |text: &str| text.to_owned();
    let node = Node {
        id: text("a"),
        host: text("here"),
        pid: 1,
        data: text("/data"),
        listen: text("127.0.0.1:1"),
        started_at: text("now"),
    };
    let store =
        Store::open_as(&Location::Postgres { url, connections_max: CONNECTIONS }, &node).await.expect("it opens");
    assert!(put(&store, text("before")).await);
    let writing = (0..CONNECTIONS).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut number = 0;
            while put(&store, format!("{writer}-{number}")).await {
                number += 1;
            }
        })
    });
    let writing: Vec<_> = writing.collect();
    tokio::time::sleep(Duration::from_millis(100)).await;
    proxy.fall_silent();
    for writing in writing {
        tokio::time::timeout(RECOVERY_MAX * 2, writing).await.expect("a write hangs for ever").expect("no panic");
    }
    proxy.come_back();
    let back = Instant::now();
    let mut number = 0;
    while !put(&store, format!("after-{number}")).await {
        assert!(back.elapsed() < RECOVERY_MAX * 2, "writes never recover");
        number += 1;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
