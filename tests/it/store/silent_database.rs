//! PostgreSQL connections that go silent: they stay open and no response arrives.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::body::Body;
use futures_util::future::join_all;
use http::Request;

use super::proxy::Proxy;
use crate::support::wait::wait_until_async;
use crate::support::{TestDatabase, Tester};
use plinth_api::app::App;
use plinth_api::server::HttpService;
use plinth_api::settings::Settings;
use plinth_base::clock::Clock;
use plinth_git::Repositories;
use plinth_store::{Location, Node, Store, Value};

const CONNECTIONS: usize = 4;
/// The time limit of the readiness endpoint.
const READINESS_MAX: Duration = Duration::from_secs(1);
/// Enough for a busy machine, and far below what an operator would wait.
const RECOVERY_MAX: Duration = Duration::from_secs(15);

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
    let location = Location::Postgres { url, connections_max: CONNECTIONS, epoch_file: None };
    let store = Store::open(&location).await.expect("the database responds");
    let repositories = Repositories::at(data).expect("a directory can be created");
    let settings = Settings::default();
    let app = App::new(store.clone(), repositories, Clock::default(), settings).await.expect("the parts fit");
    // Each connection stays in use until all of them are open.
    let mut in_use = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut db = store.read().await.expect("the database responds");
        db.one::<(i64,)>("select 1::bigint", &[]).await.expect("the database responds");
        in_use.push(db);
    }
    drop(in_use);
    (proxy, store, HttpService::new(app))
}

async fn read(store: &Store, sql: &'static str) -> bool {
    match store.read().await {
        Ok(mut db) => db.all::<(i64,)>(sql, &[]).await.is_ok(),
        Err(_) => false,
    }
}

/// The status, which must arrive in time whatever the database does. A busy machine may be late once.
async fn readiness(http_service: &HttpService) -> u16 {
    let (status, took) = timed_readiness(http_service).await;
    if took < READINESS_MAX {
        return status;
    }
    let (status, again) = timed_readiness(http_service).await;
    assert!(again < READINESS_MAX, "readiness took {took:?} and then {again:?}");
    status
}

async fn timed_readiness(http_service: &HttpService) -> (u16, Duration) {
    let request = Request::builder().uri("/readyz").header("host", "plinth.test").body(Body::empty());
    let started = Instant::now();
    let response = http_service.respond(request.expect("a good request"), IpAddr::V4(Ipv4Addr::LOCALHOST));
    let response = tokio::time::timeout(READINESS_MAX * 5, response).await.expect("readiness hangs");
    (response.status().as_u16(), started.elapsed())
}

async fn wait_for_readiness(http_service: &HttpService, status: u16) {
    let started = Instant::now();
    while readiness(http_service).await != status {
        assert!(started.elapsed() < RECOVERY_MAX, "readiness is never {status}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reads_recover_after_silent_database() {
    let database = TestDatabase::create().await;
    let Some(url) = database.url() else {
        println!("skipped: no PostgreSQL is named");
        return;
    };
    let data = tempfile::tempdir().expect("a temporary directory can be created");
    let (proxy, store, http_service) = behind_a_proxy(&url, data.path()).await;
    assert_eq!(readiness(&http_service).await, 200);

    proxy.fall_silent();
    // Every connection of the pool waits for a response that never arrives.
    let hanging: Vec<_> = (0..CONNECTIONS * 2)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { read(&store, "select 1::bigint").await })
        })
        .collect();
    wait_for_readiness(&http_service, 503).await;

    proxy.come_back();
    let back = Instant::now();
    while !read(&store, "select 1::bigint").await {
        assert!(back.elapsed() < RECOVERY_MAX, "reads never recover");
    }
    wait_for_readiness(&http_service, 200).await;
    for hanging in hanging {
        tokio::time::timeout(RECOVERY_MAX, hanging).await.expect("a read hangs for ever").expect("no panic");
    }
    let all = join_all((0..CONNECTIONS * 2).map(|_| read(&store, "select 1::bigint"))).await;
    assert!(all.iter().all(|ok| *ok), "a dead connection went back to the pool: {all:?}");
}

/// Idle connections fail unnoticed; the next caller must not get one of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn silently_closed_idle_connections_are_not_used() {
    let database = TestDatabase::create().await;
    let Some(url) = database.url() else {
        println!("skipped: no PostgreSQL is named");
        return;
    };
    let data = tempfile::tempdir().expect("a temporary directory can be created");
    let (proxy, store, _http_service) = behind_a_proxy(&url, data.path()).await;
    proxy.fall_silent();
    proxy.come_back();
    // The time after which the pool checks an idle connection before use.
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    let reading = join_all((0..CONNECTIONS).map(|_| read(&store, "select 1::bigint")));
    let read = tokio::time::timeout(RECOVERY_MAX, reading).await.expect("reads hang");
    assert!(read.iter().all(|ok| *ok), "{read:?}");
}

/// A cancelled caller leaves its statement running. The next caller must not wait for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn connection_with_unfinished_statement_is_not_reused() {
    let database = TestDatabase::create().await;
    if database.url().is_none() {
        println!("skipped: no PostgreSQL is named");
        return;
    }
    let store = database.open().await;
    let backend = |store: Store| async move {
        let mut db = store.read().await.expect("the database responds");
        db.one::<(i64,)>("select pg_backend_pid()::bigint", &[]).await.expect("the database responds").0
    };
    let before = backend(store.clone()).await;
    let mut db = store.read().await.expect("the database responds");
    let (same,) = db.one::<(i64,)>("select pg_backend_pid()::bigint", &[]).await.expect("the database responds");
    assert_eq!(before, same, "connections are used again");
    let sleeping = db.optional::<(i64,)>("select 1::bigint from pg_sleep(8)", &[]);
    let is_running = async || {
        let mut other = store.read().await.expect("the database responds");
        let sql = "select count(*) from pg_stat_activity where pid = $1::bigint and query like '%pg_sleep(8)'";
        other.one::<(i64,)>(sql, &[Value::Integer(before)]).await.expect("the database responds").0 == 1
    };
    tokio::select! {
        _ = sleeping => panic!("the statement is over"),
        () = wait_until_async("the statement runs", is_running) => {}
    }
    drop(db);
    let started = Instant::now();
    assert_ne!(backend(store).await, before, "the statement is still running there");
    assert!(started.elapsed() < Duration::from_secs(5), "the next caller waited for the statement of another");
}

/// An unreachable host is skipped, and a primary is distinguished from a standby.
#[tokio::test]
async fn hosts_are_tried_until_one_accepts_writes() {
    let database = TestDatabase::create().await;
    let Some(url) = database.url() else {
        println!("skipped: no PostgreSQL is named");
        return;
    };
    let away = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("an address");
    let url = url.replacen('@', &format!("@127.0.0.1:{},", away.port()), 1);
    let open = |attributes: &str| {
        let url = format!("{url}?target_session_attrs={attributes}");
        async move { Store::open(&Location::Postgres { url, connections_max: 2, epoch_file: None }).await }
    };
    let store = open("read-write").await.expect("the second host accepts writes");
    assert!(read(&store, "select 1::bigint").await);
    assert!(open("read-only").await.is_err(), "the only host that responds accepts writes");
}

async fn put(store: &Store, name: String) -> bool {
    let sql = "insert into setting (name, value) values ($1, 'x')";
    let put = store
        .write(Tester, name, move |tx, name| Box::pin(async move { Ok(tx.execute(sql, &[Value::Text(name)]).await?) }));
    put.await.is_ok()
}

/// The node of a database holds a lock in a session, and transactions hold locks. The server does not notice that their
/// clients are gone.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writes_recover_while_server_holds_lost_sessions() {
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
    let store = Store::open_as(&Location::Postgres { url, connections_max: CONNECTIONS, epoch_file: None }, &node)
        .await
        .expect("it opens");
    assert!(put(&store, text("before")).await);
    let written = Arc::new(AtomicUsize::new(0));
    let writing = (0..CONNECTIONS).map(|writer| {
        let (store, written) = (store.clone(), written.clone());
        tokio::spawn(async move {
            let mut number = 0;
            while put(&store, format!("{writer}-{number}")).await {
                number += 1;
                written.fetch_add(1, Ordering::SeqCst);
            }
        })
    });
    let writing: Vec<_> = writing.collect();
    wait_until_async("every connection writes", async || written.load(Ordering::SeqCst) >= 4 * CONNECTIONS).await;
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
