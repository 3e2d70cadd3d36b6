//! The whole service in process, with some data, for targets that send requests.

use std::cell::RefCell;
use std::net::{IpAddr, Ipv4Addr};

use axum::body::Body;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use plinth::state_file::State;
use plinth_api::app::App;
use plinth_api::server::HttpService;
use plinth_api::settings::Settings;
use plinth_base::clock::{Clock, Timestamp};
use plinth_git::Repositories;
use plinth_store::{Durability, Location, Store};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

pub const HOST: &str = "plinth.example";
/// The token of a user who may do everything.
pub const TOKEN: &str = "ghp_everything";
/// Changes after which the data is replaced, so that a long run does not fill the disk.
const CHANGES_MAX: u32 = 2_000;

const STATE: &str = r#"
users: [{ login: mona, name: Mona, email: mona@example.com }, { login: hubot }]
orgs: [{ login: octo-org, members: [{ user: mona, role: admin }, { user: hubot, role: member }] }]
repos:
  - name: octo-org/hello
    commits:
      - { branch: main, author: mona, message: first, files: { a.txt: "1\n2\n3\n4\n5\n6\n7\n8\n9\n", b/c.txt: "x\n" } }
      - { branch: feature, from: main, author: hubot, message: change, files: { a.txt: "1\ntwo\n3\n4\n5\n6\n7\n8\n9\nten\n", b/c.txt: null } }
      - { branch: other, from: main, author: hubot, message: other, files: { d.txt: "d\n" } }
      - { branch: moving, from: main, author: hubot, message: moving, files: { e.txt: "e\n" } }
    tags: [{ name: v1, target: main, message: First }]
  - { name: octo-org/secret, private: true }
issue_fields:
  - { org: octo-org, name: Priority, data_type: single_select, visibility: all, options: [{ name: High, color: red, priority: 1 }] }
  - { org: octo-org, name: Effort, data_type: number, visibility: all }
projects:
  - { owner: octo-org, title: Roadmap, public: true, fields: [{ name: Notes, data_type: text }, { issue_field: Priority }] }
  - { owner: mona, title: Own, public: true, fields: [{ name: When, data_type: date }] }
pulls:
  - repo: octo-org/hello
    title: Change a
    author: hubot
    head: feature
    base: main
    comments: [{ author: mona, path: a.txt, line: 2, body: "Why, @hubot?", replies: [{ author: hubot, body: Because }] }]
apps: [{ slug: helper, owner: octo-org, permissions: { contents: write, pull_requests: write, metadata: read } }]
oauth_apps: [{ slug: tool, owner: mona, client_id: Ov23tool }]
installations: [{ app: helper, account: octo-org, repositories: [octo-org/hello] }]
tokens:
  - { kind: classic, user: mona, scopes: [repo, admin:org, project, user, delete_repo, notifications, workflow], token: ghp_everything }
  - { kind: app_user, app: helper, user: mona, token: ghu_mona }
  - { kind: installation, app: helper, account: octo-org, token: ghs_helper }
"#;

/// A response, read to its end.
pub struct Response {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

struct Service {
    http_service: HttpService,
    changes: u32,
    // Last, because everything above uses it.
    _directory: tempfile::TempDir,
}

thread_local! {
    static RUNTIME: Runtime = Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
    static SERVICE: RefCell<Option<Service>> = const { RefCell::new(None) };
}

/// Sends a request and checks what holds for every response.
pub fn respond(request: Request<Body>) -> Response {
    let is_change = !request.method().is_safe();
    let description = format!("{} {} {:?}", request.method(), request.uri(), request.headers());
    let response = RUNTIME.with(|runtime| {
        SERVICE.with_borrow_mut(|service| {
            if service.as_ref().is_none_or(|service| service.changes >= CHANGES_MAX) {
                *service = None;
                *service = Some(runtime.block_on(start()));
            }
            let service = service.as_mut().expect("it was just started");
            service.changes += u32::from(is_change);
            runtime.block_on(async {
                let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
                let (parts, body) = service.http_service.respond(request, peer).await.into_parts();
                let body = body.collect().await.expect("a response can be read").to_bytes().to_vec();
                Response { status: parts.status, headers: parts.headers, body }
            })
        })
    });
    check(&description, &response);
    response
}

async fn start() -> Service {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("plinth.db");
    let store = Store::open(&Location::Sqlite { file, durability: Durability::None }).await.expect("a new store opens");
    let repositories = Repositories::at(directory.path()).expect("a directory can be created");
    let mut settings = Settings::default();
    settings.rate_limits.enforced = false;
    // Otherwise the headers of proxies would not be parsed.
    settings.trusted_proxies = vec![IpAddr::V4(Ipv4Addr::LOCALHOST).into()];
    let clock = Clock::manual(Timestamp(1_772_000_000));
    let app = App::new(store.clone(), repositories, clock.clone(), settings).await.expect("a new store opens");
    let state = State::parse(STATE, directory.path()).expect("the state file is good");
    state.apply(&store, &app.repositories, clock.now()).await.expect("the state can be applied");
    Service { http_service: HttpService::new(app), changes: 0, _directory: directory }
}

fn check(description: &str, response: &Response) {
    let Response { status, headers, body } = response;
    let text = String::from_utf8_lossy(body);
    assert!(!status.is_server_error(), "{description}: {status} {text}");
    let is_json = headers.get("content-type").is_some_and(|value| value.as_bytes().starts_with(b"application/json"));
    if is_json && !body.is_empty() && !headers.contains_key("content-encoding") {
        let json: Value = serde_json::from_slice(body).unwrap_or_else(|error| panic!("{description}: {error}: {text}"));
        let is_error = status.is_client_error();
        assert!(!is_error || json["message"].is_string() || json["error"].is_string(), "{description}: {text}");
    }
}
