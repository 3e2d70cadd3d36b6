//! Round trips to PostgreSQL per request, counted at the socket: the proxy delays every response of the server, so that whatever
//! the service sends without waiting for a response belongs to the same round trip.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Client, Response, Service};
use plinth_api::server::HttpService;
use plinth_api::settings::Settings;
use plinth_store::{Location, Store};

/// Longer than the service takes to send what it need not wait for.
const DELAY: Duration = Duration::from_millis(60);
/// Statements are prepared, and caches filled, by the first requests.
const REQUESTS_BEFORE: usize = 3;
/// Other work of the service only adds round trips, so the lowest of several counts is right.
const ATTEMPTS: usize = 12;

const STATE: &str = "
users: [{ login: mona }, { login: hubot }]
orgs: [{ login: octo-org, members: [{ user: mona, role: admin }] }]
repos:
  - name: octo-org/a
    default_branch: main
    commits:
      - { branch: main, author: mona, message: one, files: { a: \"1\\n2\\n3\\n\" } }
      - { branch: next, from: main, author: mona, message: two, files: { a: \"1\\ntwo\\n3\\n\" } }
pulls:
  - { repo: octo-org/a, title: Two, author: hubot, head: next, base: main, comments: [{ author: mona, path: a, line: 2, body: first }] }
projects: [{ owner: octo-org, title: Roadmap }]
tokens:
  - { kind: classic, user: mona, scopes: [repo, project, 'admin:org'], token: ghp_monamona }
";
const REF: &str = "/repos/octo-org/a/git/ref/heads/main";
const COMMENTS: &str = "/repos/octo-org/a/pulls/1/comments";
const FIELDS: &str = "/orgs/octo-org/projectsV2/1/fields";

/// A proxy that delays what the server sends.
struct CountingProxy {
    address: SocketAddr,
    round_trips: Arc<AtomicU64>,
}

impl CountingProxy {
    async fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let round_trips = Arc::<AtomicU64>::default();
        let count = round_trips.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let _ = client.set_nodelay(true);
                tokio::spawn(forward(client, target, count.clone()));
            }
        });
        Self { address, round_trips }
    }
}

async fn forward(client: TcpStream, target: SocketAddr, round_trips: Arc<AtomicU64>) {
    let Ok(server) = TcpStream::connect(target).await else { return };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    // Whether the client has received something since it last sent something.
    let is_answered = Arc::new(AtomicBool::new(true));
    let seen = is_answered.clone();
    let there = async move {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = from_client.read(&mut buffer).await {
            if is_answered.swap(false, Ordering::SeqCst) {
                round_trips.fetch_add(1, Ordering::SeqCst);
            }
            if to_server.write_all(&buffer[..count]).await.is_err() {
                break;
            }
        }
    };
    let back = async move {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(first @ 1..) = from_server.read(&mut buffer).await {
            tokio::time::sleep(DELAY).await;
            // What has arrived meanwhile is part of the same response.
            let more = from_server.try_read(&mut buffer[first..]).unwrap_or(0);
            seen.store(true, Ordering::SeqCst);
            if to_client.write_all(&buffer[..first + more]).await.is_err() {
                break;
            }
        }
    };
    tokio::select! {
        () = there => {}
        () = back => {}
    }
}

/// Another service on the same data, whose database is behind the proxy. One connection, so that statements are prepared once.
async fn behind(service: &Service, url: &str, response_cache_bytes: usize) -> (CountingProxy, HttpService) {
    let mut url = url::Url::parse(url).expect("a URL");
    let proxy = CountingProxy::start(url.socket_addrs(|| Some(5432)).expect("an address")[0]).await;
    url.set_host(Some("127.0.0.1")).expect("a host");
    url.set_port(Some(proxy.address.port())).expect("a port");
    let location = Location::Postgres { url: url.to_string(), connections_max: 1, epoch_file: None };
    let store = Store::open(&location).await.expect("the database responds");
    let mut settings = Settings { response_cache_bytes, ..Settings::default() };
    settings.rate_limits.enforced = false;
    settings.request_timeout = Duration::from_secs(600);
    (proxy, service.another_on(store, settings).await)
}

/// The lowest number of round trips of one request, until it is low enough.
async fn count(proxy: &CountingProxy, most: u64, send: impl AsyncFnMut() -> Response) -> u64 {
    count_after(proxy, most, async || {}, send).await
}

/// As [`count`], each time after something else.
async fn count_after(
    proxy: &CountingProxy,
    most: u64,
    mut prepare: impl AsyncFnMut(),
    mut send: impl AsyncFnMut() -> Response,
) -> u64 {
    for _ in 0..REQUESTS_BEFORE {
        prepare().await;
        check_success(&send().await);
    }
    let mut lowest = u64::MAX;
    for _ in 0..ATTEMPTS {
        if lowest <= most {
            break;
        }
        prepare().await;
        let before = proxy.round_trips.load(Ordering::SeqCst);
        check_success(&send().await);
        lowest = lowest.min(proxy.round_trips.load(Ordering::SeqCst) - before);
    }
    lowest
}

fn check_success(response: &Response) {
    assert!(response.status < 300, "{response}");
}

fn client(http_service: &HttpService) -> Client<'_> {
    Client::new(http_service).header("authorization", "Bearer ghp_monamona")
}

async fn sha_of(client: &Client<'_>, branch: &str) -> Value {
    let found = client.get(&format!("/repos/octo-org/a/git/ref/heads/{branch}")).await.expect(200).json();
    found["object"]["sha"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn point_read_takes_at_most_two_round_trips() {
    let service = Service::with(STATE).await;
    let Some(url) = service.database_url() else { return };
    service.settled().await;
    let (proxy, uncached) = behind(&service, &url, 0).await;
    let mona = client(&uncached);
    let comment = mona.get(COMMENTS).await.expect(200).json()[0]["id"].clone();
    let field = mona.get(FIELDS).await.expect(200).json()[0]["id"].clone();
    let paths = [
        (REF.to_owned(), 2),
        (format!("/repos/octo-org/a/pulls/comments/{comment}"), 2),
        (format!("{FIELDS}/{field}"), 2),
        (format!("{COMMENTS}?per_page=30"), 2),
    ];
    let mut counts = Vec::new();
    for (path, most) in &paths {
        counts.push((path, count(&proxy, *most, async || mona.get(path).await).await, *most));
    }
    println!("round trips, response cache off: {counts:?}");
    assert!(counts.iter().all(|(_, count, most)| count <= most), "{counts:?}");
    let (proxy, cached) = behind(&service, &url, 1 << 20).await;
    let mona = client(&cached);
    for (path, _) in &paths {
        let count = count(&proxy, 1, async || mona.get(path).await).await;
        assert!(count <= 1, "{path}, cached: {count}");
    }
}

/// The caller, the repository, the rows of the page, the comments that are not cached, and whether something else has changed
/// meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn list_with_edited_comments_takes_at_most_five_round_trips() {
    let service = Service::with(STATE).await;
    let Some(url) = service.database_url() else { return };
    let direct = service.with_token("ghp_monamona");
    let next = sha_of(&direct, "next").await;
    let mut comments = Vec::new();
    for number in 0..12 {
        let new = json!({ "body": format!("number {number}"), "commit_id": next, "path": "a", "line": 2 });
        comments.push(direct.post(COMMENTS, new).await.expect(201).json()["id"].clone());
    }
    service.settled().await;
    let (proxy, uncached) = behind(&service, &url, 0).await;
    let mona = client(&uncached);
    let mut number = 0;
    let count = count(&proxy, 5, async || {
        number += 1;
        for comment in &comments[..5] {
            let path = format!("/repos/octo-org/a/pulls/comments/{comment}");
            direct.patch(&path, json!({ "body": format!("edited {number}") })).await.expect(200);
        }
        mona.get(COMMENTS).await
    });
    let count = count.await;
    println!("round trips of a list with edited comments: {count}");
    assert!(count <= 5, "{count}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn write_takes_at_most_three_round_trips() {
    let service = Service::with(STATE).await;
    let Some(url) = service.database_url() else { return };
    service.settled().await;
    let (proxy, http_service) = behind(&service, &url, 1 << 20).await;
    let mona = client(&http_service);
    let (main, next) = (sha_of(&mona, "main").await, sha_of(&mona, "next").await);
    let comment = mona.get(COMMENTS).await.expect(200).json()[0]["id"].clone();
    let mut number = 0;
    let mut counts = Vec::new();
    let create_ref = count(&proxy, 3, async || {
        number += 1;
        mona.post("/repos/octo-org/a/git/refs", json!({ "ref": format!("refs/heads/new-{number}"), "sha": main })).await
    });
    counts.push(("create a ref", create_ref.await));
    let mut number = 0;
    let move_ref = count(&proxy, 3, async || {
        number += 1;
        let update = json!({ "sha": if number % 2 == 0 { &main } else { &next }, "force": true });
        mona.patch("/repos/octo-org/a/git/refs/heads/new-1", update).await
    });
    counts.push(("move a ref", move_ref.await));
    let mut number = 0;
    let create_comment = count(&proxy, 3, async || {
        number += 1;
        let new = json!({ "body": format!("number {number}"), "commit_id": next, "path": "a", "line": 2 });
        mona.post(COMMENTS, new).await
    });
    counts.push(("create a comment", create_comment.await));
    let update_comment = count(&proxy, 3, async || {
        number += 1;
        let path = format!("/repos/octo-org/a/pulls/comments/{comment}");
        mona.patch(&path, json!({ "body": format!("number {number}") })).await
    });
    counts.push(("update a comment", update_comment.await));
    println!("round trips: {counts:?}");
    assert!(counts.iter().all(|(_, count)| *count <= 3), "{counts:?}");
}

/// What this node has written is in its memory, but not what another one has changed since.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_this_node_has_written_takes_fewer_round_trips() {
    let service = Service::with(STATE).await;
    let Some(url) = service.database_url() else { return };
    let direct = service.with_token("ghp_monamona");
    let shas = [sha_of(&direct, "main").await, sha_of(&direct, "next").await];
    service.settled().await;
    let (proxy, uncached) = behind(&service, &url, 0).await;
    let mona = client(&uncached);
    mona.post("/repos/octo-org/a/git/refs", json!({ "ref": "refs/heads/moved", "sha": shas[0] })).await.expect(201);
    let (moved, found) = ("/repos/octo-org/a/git/refs/heads/moved", "/repos/octo-org/a/git/ref/heads/moved");
    let comment = format!("/repos/octo-org/a/pulls/comments/{}", mona.get(COMMENTS).await.expect(200).json()[0]["id"]);
    // Each move of a ref also changes its repository, which is read again. Of a comment, the columns are read first.
    for (is_own, most_of_ref, most_of_comment) in [(true, 2, 1), (false, 3, 3)] {
        let writer = if is_own { &mona } else { &direct };
        let mut number = 0;
        let move_ref = async || {
            number += 1;
            writer.patch(moved, json!({ "sha": shas[number % 2], "force": true })).await.expect(200);
        };
        let of_ref = count_after(&proxy, most_of_ref, move_ref, async || mona.get(found).await).await;
        assert_eq!(of_ref, most_of_ref, "of a ref, moved by this node: {is_own}");
        assert_eq!(mona.get(found).await.expect(200).json()["object"]["sha"], shas[number % 2]);
        let edit = async || {
            number += 1;
            writer.patch(&comment, json!({ "body": format!("{is_own} {number}") })).await.expect(200);
        };
        let of_comment = count_after(&proxy, most_of_comment, edit, async || mona.get(&comment).await).await;
        assert_eq!(of_comment, most_of_comment, "of a comment, edited by this node: {is_own}");
        assert_eq!(mona.get(&comment).await.expect(200).json()["body"], format!("{is_own} {number}"));
    }
}
