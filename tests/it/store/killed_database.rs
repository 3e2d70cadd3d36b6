//! PostgreSQL is killed under load: callers get 503, and no acknowledged write is lost.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use http::Request;

use super::cluster::Cluster;
use crate::support::fixtures::mona;
use crate::support::wait::wait_until_async;
use plinth::state_file::State;
use plinth_api::app::App;
use plinth_api::server::HttpService;
use plinth_api::settings::Settings;
use plinth_base::clock::Clock;
use plinth_base::error::Error;
use plinth_git::Repositories;
use plinth_store::{Location, Store};

const CLIENTS: usize = 8;
const CYCLES: usize = 3;
async fn send(http_service: &HttpService, method: &str, path: &str, body: String) -> u16 {
    let request = Request::builder().method(method).uri(path).header("authorization", "Bearer ghp_monamona");
    let request = request.header("host", "plinth.test").body(Body::from(body)).expect("a good request");
    http_service.respond(request, IpAddr::V4(Ipv4Addr::LOCALHOST)).await.status().as_u16()
}

/// What the clients have seen.
#[derive(Default)]
struct Seen {
    statuses: BTreeMap<u16, usize>,
    acknowledged: Vec<String>,
}

async fn client(http_service: Arc<HttpService>, id: usize, landed: Arc<AtomicUsize>, stop: Arc<AtomicBool>) -> Seen {
    let mut seen = Seen::default();
    for number in 0.. {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        let name = format!("r-{id}-{number}");
        let status = send(&http_service, "POST", "/user/repos", format!("{{\"name\":\"{name}\"}}")).await;
        *seen.statuses.entry(status).or_default() += 1;
        if status == 201 {
            landed.fetch_add(1, Ordering::SeqCst);
            seen.acknowledged.push(name);
        } else {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    seen
}

async fn wait_for_more(landed: &AtomicUsize, more: usize) {
    let goal = landed.load(Ordering::SeqCst) + more;
    let waiting = async {
        while landed.load(Ordering::SeqCst) < goal {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), waiting).await.expect("work goes on without a restart of ours");
}

/// A new cluster accepts connections before it accepts statements.
async fn open(cluster: &Cluster) -> Store {
    let location = Location::Postgres { url: cluster.url(), connections_max: 8, epoch_file: None };
    for _ in 0..200 {
        match Store::open(&location).await {
            Ok(store) => return store,
            Err(Error::Unavailable(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
            Err(other) => panic!("{other}"),
        }
    }
    panic!("the cluster is never ready")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn killed_database_returns_503_and_loses_nothing() {
    let Some(mut cluster) = Cluster::start() else {
        println!("skipped: no PostgreSQL programs are named");
        return;
    };
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let store = open(&cluster).await;
    let repositories = Repositories::at(directory.path()).expect("a directory can be created");
    let mut settings = Settings::default();
    settings.rate_limits.enforced = false;
    let app = App::new(store.clone(), repositories, Clock::default(), settings).await.expect("the parts fit");
    let state = State::parse(&mona().to_string(), directory.path()).expect("a good state");
    state.apply(&store, &app.repositories, app.clock.now()).await.expect("the state is applied");
    let http_service = Arc::new(HttpService::new(app));
    let (landed, stop) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let clients: Vec<_> =
        (0..CLIENTS).map(|id| tokio::spawn(client(http_service.clone(), id, landed.clone(), stop.clone()))).collect();
    for _ in 0..CYCLES {
        wait_for_more(&landed, 50).await;
        cluster.kill();
        let is_unready = async || send(&http_service, "GET", "/readyz", String::new()).await == 503;
        wait_until_async("the service is unready", is_unready).await;
        assert_eq!(send(&http_service, "GET", "/healthz", String::new()).await, 200);
        cluster.bring_up();
    }
    wait_for_more(&landed, 50).await;
    stop.store(true, Ordering::SeqCst);
    let mut total = Seen::default();
    for client in clients {
        let seen = client.await.expect("no client panics");
        for (status, count) in seen.statuses {
            *total.statuses.entry(status).or_default() += count;
        }
        total.acknowledged.extend(seen.acknowledged);
    }
    let statuses: Vec<u16> = total.statuses.keys().copied().collect();
    assert_eq!(statuses, [201, 503], "{:?}", total.statuses);
    for name in &total.acknowledged {
        assert_eq!(
            send(&http_service, "GET", &format!("/repos/mona/{name}"), String::new()).await,
            200,
            "{name} was lost"
        );
    }
    assert_eq!(send(&http_service, "GET", "/readyz", String::new()).await, 200);
}
