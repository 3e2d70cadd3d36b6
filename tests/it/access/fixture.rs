//! The service on which the rows are tested: users with every role, repositories of every kind, apps with every set of
//! permissions.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use http::{Method, Request};
use http_body_util::BodyExt;
use serde_json::Value;

use super::credential::{Credential, PERMISSIONS, Permissions, all_permissions, app_with, app_without, yaml};
use super::probes;
use crate::support::fixtures::StateFile;
use crate::support::{Response, Service, jwt};
use plinth::state_file::State;
use plinth_api::middleware::ApiService;

/// A token with every right, to prepare what a row needs.
pub const SETUP_TOKEN: &str = "ghp_setupsetup";
pub const EXPIRED_TOKEN: &str = "ghp_expiredexpired";
pub const REVOKED_TOKEN: &str = "ghp_revokedrevoked";

static ACCOUNTS: LazyLock<String> = LazyLock::new(|| {
    StateFile::default()
        .users(&["owner", "member", "writer", "reader", "stranger", "outsider"])
        .org("acme", "{ user: owner, role: admin }, { user: member, role: member }")
        .org("other", "{ user: owner, role: admin }")
        .to_string()
});
/// Name, visibility, and whether it is archived later.
const REPOS: [(&str, bool, bool); 6] = [
    ("public", false, false),
    ("private", true, false),
    ("archived", false, true),
    ("elsewhere", false, false),
    ("spare", false, false),
    ("spare-private", true, false),
];
const SELECTED: &str = "[acme/public, acme/private, acme/archived, acme/spare, acme/spare-private]";

/// The service with routes that include the probes.
pub struct Fixture {
    pub service: Service,
    pub api: ApiService,
    real: BTreeSet<&'static str>,
    /// Operations that only a probe serves.
    pub probes: BTreeSet<&'static str>,
    pub workflow_shas: Mutex<HashMap<String, String>>,
    counter: AtomicUsize,
}

impl Fixture {
    /// `tokens` are lines of the state file's section of tokens.
    pub async fn with_tokens(tokens: &str) -> Self {
        let service = Service::with("").await;
        service.write_app_key("full.pem");
        let mut state = format!("{}{}{}{}", *ACCOUNTS, repos(Archived::NotYet), apps(), more());
        write!(
            state,
            "tokens:\n  - {{ kind: classic, user: owner, scopes: [repo, workflow, admin:org, project, delete_repo], token: {SETUP_TOKEN} }}\n  \
             - {{ kind: classic, user: owner, scopes: [repo, admin:org, project], token: {REVOKED_TOKEN} }}\n  \
             - {{ kind: classic, user: owner, scopes: [repo, admin:org, project], expires_at: '2026-01-01T00:00:00Z', token: {EXPIRED_TOKEN} }}\n{tokens}"
        )
        .expect("writing to a string always succeeds");
        service.apply(&state).await;
        service.revoke(REVOKED_TOKEN).await;
        let (routes, probes) = probes::routes();
        let real = plinth_api::router::routes().rows().map(|row| row.operation).collect();
        let api = ApiService::new(service.app.clone(), routes.into_matcher().into(), None);
        Self { service, api, real, probes, workflow_shas: Mutex::default(), counter: AtomicUsize::new(0) }
    }

    /// Objects in an archived repository must be created before it is archived.
    pub async fn archive(&self) {
        self.service.apply(&repos(Archived::Now)).await;
    }

    pub fn is_real(&self, operation: &str) -> bool {
        self.real.contains(operation)
    }

    fn jwt(&self, slug: &str) -> String {
        jwt::sign(self.service.app_key(), &jwt::claims(format!("Iv23{slug}")))
    }

    /// A number that no other request of this fixture has.
    pub fn unique(&self) -> usize {
        self.counter.fetch_add(1, Ordering::SeqCst)
    }

    pub async fn send(&self, method: &Method, path: &str, body: &Value, authorization: Option<&str>) -> Response {
        let mut request = Request::builder().method(method).uri(path).header("host", "plinth.test");
        if let Some(value) = authorization {
            request = request.header("authorization", value);
        }
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let request = request.body(body).expect("the test's request is well formed");
        let (parts, body) = self.api.respond(request, IpAddr::V4(Ipv4Addr::LOCALHOST)).await.into_parts();
        let body = body.collect().await.expect("a response can be read").to_bytes();
        Response { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    /// Sends a request with every right.
    pub async fn prepare(&self, method: Method, path: &str, body: Value) -> Value {
        let response = self.send(&method, path, &body, Some(&format!("Bearer {SETUP_TOKEN}"))).await;
        assert!(response.status < 300, "{method} {path} should prepare something: {response}");
        if response.body.is_empty() { Value::Null } else { response.json() }
    }

    /// The header for a credential whose token was created under this number.
    pub fn authorization(&self, credential: &Credential, number: usize) -> Option<String> {
        match credential {
            Credential::Anonymous => None,
            Credential::Header(text) => Some(text.replace("{jwt}", &self.jwt("full"))),
            Credential::AppJwt => Some(format!("Bearer {}", self.jwt("full"))),
            Credential::JwtOf(slug) => Some(format!("Bearer {}", self.jwt(slug))),
            token => token.token(number).map(|(_, token)| format!("Bearer {token}")),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Archived {
    NotYet,
    Now,
}

fn repos(archived: Archived) -> String {
    let mut text = String::from("repos:\n");
    for (name, private, archives) in REPOS {
        let archived = archived == Archived::Now && archives;
        let outsider = if name == "public" { ", { user: outsider, permission: admin }" } else { "" };
        let commits = match (supports("repos: [{ name: a/b, commits: [] }]"), name) {
            (false, _) => String::new(),
            (true, "elsewhere") => format!(", commits: [{COMMITS}, {ONLY_HERE}]"),
            (true, _) => format!(", commits: [{COMMITS}]"),
        };
        writeln!(
            text,
            "  - {{ name: acme/{name}, private: {private}, archived: {archived}, collaborators: [{{ user: writer, permission: write }}, \
             {{ user: reader, permission: read }}{outsider}]{commits} }}"
        )
        .expect("writing to a string always succeeds");
    }
    text.push_str("  - { name: other/theirs, private: false }\n");
    text
}

const COMMITS: &str = "\
    { branch: main, author: owner, message: first, files: { src/a.txt: \"1\\n2\\n3\\n\" } }, \
    { branch: feature, from: main, author: owner, message: change, files: { src/a.txt: \"1\\ntwo\\n3\\n\" } }, \
    { branch: workflow, from: main, author: owner, message: workflow, files: { .github/workflows/ci.yml: \"on: push\\n\" } }";
const ONLY_HERE: &str =
    "{ branch: only-here, from: main, author: owner, message: only here, files: { src/b.txt: \"b\\n\" } }";

/// Pull requests, projects and issue fields, as far as state files support them.
fn more() -> String {
    let mut text = String::new();
    if supports("pulls: []") {
        text.push_str("pulls:\n");
        for (name, ..) in REPOS {
            writeln!(text, "  - {{ repo: acme/{name}, title: Change, author: owner, head: feature, base: main }}")
                .expect("writing to a string always succeeds");
        }
        text.push_str("  - { repo: acme/elsewhere, title: Second, author: owner, head: workflow, base: main }\n");
    }
    if supports("projects: []") {
        text.push_str("projects:\n");
        for account in ["acme", "owner"] {
            for public in [true, false] {
                writeln!(text, "  - {{ owner: {account}, title: Of {account} {public}, public: {public}, fields: [{{ name: Notes, data_type: text }}] }}")
                    .expect("writing to a string always succeeds");
            }
        }
    }
    if supports("issue_fields: []") {
        text.push_str("issue_fields:\n  - { org: acme, name: Priority, data_type: text }\n");
    }
    text
}

/// Whether state files support this text.
pub fn supports(text: &str) -> bool {
    State::parse(text, std::path::Path::new(".")).is_ok()
}

fn apps() -> String {
    let mut apps = String::from("apps:\n");
    let mut installations = String::from("installations:\n");
    let mut add = |slug: &str, permissions: &Permissions, account: &str, repositories: &str, more: &str| {
        let signs = matches!(slug, "full" | "suspended" | "foreign");
        let key = if signs { format!(", private_key_file: full.pem, client_id: Iv23{slug}") } else { String::new() };
        writeln!(apps, "  - {{ slug: {slug}, owner: acme, permissions: {}{key} }}", yaml(permissions))
            .expect("writing to a string always succeeds");
        writeln!(installations, "  - {{ app: {slug}, account: {account}, repositories: {repositories}{more} }}")
            .expect("writing to a string always succeeds");
    };
    add("full", &all_permissions(), "acme", SELECTED, "");
    add("empty", &Permissions::new(), "acme", SELECTED, "");
    add("foreign", &all_permissions(), "other", "all", "");
    add("narrow", &all_permissions(), "acme", "[acme/elsewhere]", "");
    add("suspended", &all_permissions(), "acme", SELECTED, ", suspended: true");
    add("everything", &all_permissions(), "acme", "all", "");
    add("single", &all_permissions(), "acme", "[acme/spare]", "");
    for name in PERMISSIONS {
        for level in ["read", "write"] {
            add(&app_with(name, level), &Permissions::from([(name, level)]), "acme", SELECTED, "");
        }
        let mut less = all_permissions();
        less.remove(name);
        add(&app_without(name, "none"), &less, "acme", SELECTED, "");
        less.insert(name, "read");
        add(&app_without(name, "read"), &less, "acme", SELECTED, "");
    }
    // The same app on a second account, which callers of the first must not see.
    installations.push_str("  - { app: full, account: other, repositories: all }\n");
    apps + &installations
}
