//! A service with one caller who may do everything, and with the objects that the requests need.

use std::sync::{Mutex, mpsc};

use http::Method;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::hooks::add_hooks;
use super::requests::{self, Objects};
use super::rights::{Caller, Right};
use super::tables::TABLES;
use crate::support::fixtures::{StateFile, two_branches};
use crate::support::wait::wait_until_async;
use crate::support::{Client, Response, Service, Tester, jwt};
use plinth_api::app::App;
use plinth_api::policy::Row;

pub const PERMISSIONS: &str = "administration: write, contents: write, issue_fields: write, issues: write, \
                           organization_projects: write, pull_requests: write, workflows: write, repository_hooks: write, organization_hooks: write, \
                           statuses: write";

pub struct Fixture {
    pub service: Service,
    credential: String,
    objects: Objects,
}

impl Fixture {
    pub async fn new(caller: Caller) -> Self {
        let service = Service::with("").await;
        service.write_app_key("helper.pem");
        service.apply(&state(caller)).await;
        let credential = match caller {
            Caller::App => jwt::sign(service.app_key(), &jwt::claims("Iv23helper")),
            caller => token(caller).to_owned(),
        };
        let mut objects = prepare(&service, caller, &credential).await;
        // Last, so that the hooks receive nothing of what was prepared.
        add_hooks(&service, &mut objects).await;
        service.pack_objects().await;
        let fixture = Self { service, credential, objects };
        if caller != Caller::App {
            let marked = "update token set note = 'caller' where user_id = \
                          (select id from account where login = 'carol') or kind = 'installation'";
            fixture.execute(marked).await;
        }
        fixture
    }

    fn caller(&self) -> Client<'_> {
        self.service.with_token(&self.credential)
    }

    /// Sends the request of an operation.
    pub async fn send(&self, row: &Row) -> Response {
        let (path, body) = requests::of(row, &self.objects);
        let client = match row.operation {
            "git/receive-pack" => self.caller().header("content-type", "application/x-git-receive-pack-request"),
            _ => self.caller(),
        };
        client.send(row.method.clone(), &path, body).await
    }

    /// Sends the request while a transaction revokes the right, then restores the right.
    pub async fn send_while_taken(&self, right: &Right, row: &Row) -> Response {
        let response = self.send_while(row, right.take, |_| {}).await;
        for statement in right.give_back {
            self.execute(statement).await;
        }
        response
    }

    /// Sends the request while a transaction with these statements is open. Once the request waits for the store, calls
    /// `meanwhile` and commits the transaction.
    pub async fn send_while(
        &self,
        row: &Row,
        statements: &'static [&'static str],
        meanwhile: impl Fn(&App),
    ) -> Response {
        let app = &self.service.app;
        self.service.settled().await;
        let (begun, has_begun) = oneshot::channel();
        let (go, may_go) = mpsc::channel::<()>();
        let slots = Mutex::new((Some(begun), may_go));
        let taking = self.service.store.write(Tester, slots, move |tx, slots| {
            Box::pin(async move {
                for statement in statements {
                    tx.execute(statement, &[]).await?;
                }
                let mut slots = slots.lock().expect("nobody panics");
                let _ = slots.0.take().map(|begun| begun.send(()));
                tokio::task::block_in_place(|| slots.1.recv()).expect("the test goes on");
                Ok(())
            })
        });
        // On PostgreSQL it blocks the thread that polls it.
        let taking = tokio::spawn(taking);
        let request = async {
            has_begun.await.expect("the transaction has begun");
            let waiting = async {
                let what = format!("{} waits for the store", row.operation);
                wait_until_async(&what, async || app.transaction_times().waiting() >= 2).await;
                meanwhile(app);
                go.send(()).expect("the transaction waits");
            };
            tokio::join!(self.send(row), waiting).0
        };
        let (taken, response) = tokio::join!(taking, request);
        taken.expect("it does not panic").expect("the store accepts the change");
        response
    }

    pub async fn execute(&self, statement: &'static str) {
        let work = self
            .service
            .store
            .write(Tester, (), move |tx, ()| Box::pin(async move { Ok(tx.execute(statement, &[]).await?) }));
        assert!(work.await.expect("the store accepts it") > 0, "{statement}");
    }

    /// The number of rows in each table.
    pub async fn counts(&self) -> Vec<i64> {
        self.service.settled().await;
        let mut db = self.service.store.read().await.expect("the store can be read");
        let mut counts = Vec::new();
        for sql in TABLES {
            counts.push(db.one::<(i64,)>(sql, &[]).await.expect("the store can be read").0);
        }
        counts
    }
}

fn token(caller: Caller) -> &'static str {
    match caller {
        Caller::OrgAdmin | Caller::Collaborator => "ghp_carolcarol",
        Caller::FineGrained => "github_pat_carolcarol",
        Caller::AppUser => "ghu_carolcarol",
        Caller::Installation => "ghs_helperhelper",
        Caller::App => panic!("an app signs by itself"),
    }
}

fn state(caller: Caller) -> String {
    let item = "items: [{ content: 'octo-org/hello#6' }]";
    let is_collaborator = caller == Caller::Collaborator;
    let admin = if is_collaborator { "" } else { ", { user: carol, role: admin }" };
    let collaborator = if is_collaborator { "{ user: carol, permission: admin }" } else { "" };
    let branch =
        |name: &str| format!(", {{ branch: {name}, from: main, author: mona, message: two, files: {{ a: {name} }} }}");
    // Each changes a file of its own, so that they can be merged.
    let apart = |name: &str| branch(name).replace("{ a: ", &format!("{{ {name}: "));
    let branches = ["second", "third", "fourth", "deleted", "pushed"].map(branch).concat();
    let branches = branches + &["base", "merged", "updated"].map(apart).concat();
    let labels = "labels: [{ name: bug }, { name: gone }]";
    let hello = format!("private: true, {labels}, collaborators: [{collaborator}], {}", two_branches(&branches));
    let pull = |title: &str, head: &str| format!("title: {title}, head: {head}, base: main");
    let state = StateFile::default()
        .users(&["mona", "carol"])
        .org("octo-org", &format!("{{ user: mona, role: admin }}{admin}"))
        .repo("octo-org/hello", &hello)
        .repo("octo-org/spare", "")
        .repo("octo-org/unselected", "")
        .issue_field("Notes", "text", "")
        .issue_field("More", "text", "")
        .project("octo-org", "Roadmap", item)
        .project("carol", "Mine", item)
        .pull("octo-org/hello", "carol", &pull("First", "next"))
        .pull("octo-org/hello", "mona", &pull("Second", "second"))
        .pull("octo-org/hello", "mona", &pull("Third", "third"))
        .pull("octo-org/hello", "mona", "title: Fourth, head: merged, base: base")
        .pull("octo-org/hello", "mona", "title: Fifth, head: updated, base: base")
        .entry("issues", "repo: octo-org/hello, title: Sixth, author: mona, labels: [bug], assignees: [mona]")
        .helper(PERMISSIONS)
        .app("other", "octo-org", "contents: write", "")
        .entry("oauth_apps", "slug: gh, owner: octo-org, client_id: 178c6fc778ccc68e1d6a")
        .installation("helper", "octo-org", "[octo-org/hello, octo-org/spare]")
        .classic("mona", "repo, admin:org, project", "ghp_setup");
    let state = match caller {
        Caller::OrgAdmin | Caller::Collaborator => {
            let scopes = "repo, delete_repo, admin:org, admin:org_hook, project, notifications";
            state.classic("carol", scopes, token(caller))
        }
        Caller::FineGrained => {
            state.fine_grained("carol", "octo-org, repositories: [octo-org/hello]", PERMISSIONS, token(caller))
        }
        Caller::AppUser => state.app_user("carol", "helper", token(caller)),
        Caller::Installation => state.installation_token("helper", "octo-org", token(caller)),
        Caller::App => state,
    };
    state.to_string()
}

/// Creates what the requests need; the caller creates what must belong to the caller.
async fn prepare(service: &Service, caller: Caller, credential: &str) -> Objects {
    let (setup, client) = (service.with_token("ghp_setup"), service.with_token(credential));
    // An app can only call its own operations and owns nothing.
    let client = if caller == Caller::App { setup.clone() } else { client };
    let id = |response: &Response| response.json()["id"].as_i64().expect("it has an id");
    let hello = "/repos/octo-org/hello";
    let mut shas = Vec::new();
    for branch in ["main", "next", "pushed"] {
        let found = setup.get(&format!("{hello}/git/ref/heads/{branch}")).await.expect(200).json();
        shas.push(found["object"]["sha"].as_str().expect("a commit").to_owned());
    }
    let [main, next, pushed]: [String; 3] = shas.try_into().expect("three branches");
    let commit = setup.get(&format!("{hello}/git/commits/{main}")).await.expect(200).json();
    setup.post(&format!("{hello}/git/refs"), json!({ "ref": "refs/heads/moving", "sha": main })).await.expect(201);
    let release = id(&setup.post(&format!("{hello}/releases"), json!({ "tag_name": "v1" })).await.expect(201));
    let upload = format!("{hello}/releases/{release}/assets?name=a");
    let asset = id(&setup.send(Method::POST, &upload, "bytes").await.expect(201));
    let mut comments = Vec::new();
    for number in 0..3 {
        let body = json!({ "body": format!("comment {number}"), "commit_id": next, "path": "a", "line": 1 });
        comments.push(id(&client.post(&format!("{hello}/pulls/1/comments"), body).await.expect(201)));
    }
    let by_mona = json!({ "body": "seen", "commit_id": next, "path": "a", "line": 1 });
    setup.post(&format!("{hello}/pulls/1/comments"), by_mona).await.expect(201);
    let mut pending_reviews = Vec::new();
    for number in [2, 3] {
        let review = json!({ "body": "pending" });
        pending_reviews.push(id(&client.post(&format!("{hello}/pulls/{number}/reviews"), review).await.expect(200)));
    }
    let fields = setup.get("/orgs/octo-org/issue-fields").await.expect(200).json();
    let fields: Vec<i64> = fields.as_array().expect("a list").iter().filter_map(|field| field["id"].as_i64()).collect();
    let issue = format!("{hello}/issues/6");
    let value = json!({ "issue_field_values": [{ "field_id": fields[0], "value": "before" }] });
    setup.post(&format!("{issue}/issue-field-values"), value).await.expect(200);
    let mut issue_comments = [0; 2];
    for comment in &mut issue_comments {
        *comment = id(&client.post(&format!("{issue}/comments"), json!({ "body": "mine" })).await.expect(201));
    }
    let begun = |_: ()| service.anonymous().header("accept", "application/json");
    let device = json!({ "client_id": "178c6fc778ccc68e1d6a" });
    let polled = begun(()).post("/login/device/code", device.clone()).await.expect(200).json();
    let approved = begun(()).post("/login/device/code", device).await.expect(200).json();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let notification = match caller {
        Caller::OrgAdmin => client.get("/notifications").await.expect(200).json()[0]["id"].as_str().map(str::to_owned),
        _ => None,
    };
    let confirmation = match caller {
        Caller::OrgAdmin => {
            let path = format!("/login/device/approve?user_code={}", text(&approved["user_code"]));
            text(&client.get(&path).await.expect(200).json()["confirmation"])
        }
        _ => String::new(),
    };
    Objects {
        tree: text(&commit["tree"]["sha"]),
        blob: text(&setup.get(&format!("{hello}/contents/a")).await.expect(200).json()["sha"]),
        release,
        asset,
        main,
        next,
        pushed,
        comments: comments.try_into().expect("three comments"),
        issue_comments,
        pending_reviews: pending_reviews.try_into().expect("two reviews"),
        issue_fields: fields.try_into().expect("two fields"),
        installation: installation(service).await,
        spare: id(&setup.send(Method::GET, "/repos/octo-org/spare", "").await.expect(200)),
        unselected: id(&setup.send(Method::GET, "/repos/octo-org/unselected", "").await.expect(200)),
        notification: notification.and_then(|id| id.parse().ok()).unwrap_or_default(),
        device_code: text(&polled["device_code"]),
        user_code: text(&approved["user_code"]),
        confirmation,
        repo_hooks: [0; 2],
        org_hooks: [0; 2],
        deliveries: [0; 3],
    }
}

async fn installation(service: &Service) -> i64 {
    let mut db = service.store.read().await.expect("the store can be read");
    db.one::<(i64,)>("select id from installation", &[]).await.expect("there is one").0
}
