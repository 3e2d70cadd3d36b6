//! Authorization cases that no single row describes.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use serde_json::{Value, json};

use super::credential::Credential;
use super::fixture::Fixture;
use super::objects::RequestTarget;
use super::rows::TOKEN_KINDS;
use crate::support::fixtures::StateFile;
use crate::support::{Service, Tester, jwt};
use plinth_api::policy::Row;
use plinth_api::policy::table::TABLE;
use plinth_core::access::{Action, Anonymous};

static STATE: LazyLock<String> = LazyLock::new(|| {
    StateFile::default()
        .entry("users", "login: owner, site_admin: true")
        .users(&["reader"])
        .org("acme", "{ user: owner, role: admin }")
        .repo("acme/public", "")
        .repo("acme/private", "private: true, collaborators: [{ user: reader, permission: read }]")
        .app("helper", "acme", "contents: write, administration: write", "")
        .installation("helper", "acme", "all")
        .classic("owner", "repo, delete_repo", "ghp_ownerowner")
        .oauth("owner", "repo, delete_repo", "gho_ownerowner")
        .classic("owner", "", "ghp_unscoped")
        .classic("reader", "repo, delete_repo", "ghp_readerreader")
        .fine_grained("owner", "acme", "contents: read", "github_pat_admins")
        .app_user("reader", "helper", "ghu_readerreader")
        .installation_token("helper", "acme", "ghs_helperhelper")
        .to_string()
});

/// Every scheme for one token gives the same result, in reads and in writes.
#[tokio::test]
async fn token_has_same_rights_in_every_scheme() {
    let service = Service::with(&STATE).await;
    for token in ["ghp_unscoped", "ghp_readerreader", "github_pat_admins", "ghu_readerreader", "ghs_helperhelper"] {
        let basic = |text: String| format!("Basic {}", STANDARD.encode(text));
        let schemes = [
            format!("Bearer {token}"),
            format!("bearer {token}"),
            format!("token {token}"),
            basic(format!("x-access-token:{token}")),
            basic(format!("{token}:x-oauth-basic")),
            basic(format!("{token}:")),
        ];
        for (method, path) in [
            ("GET", "/repos/acme/private"),
            ("GET", "/repos/acme/public"),
            ("DELETE", "/repos/acme/nothing"),
            ("POST", "/orgs/acme/repos"),
        ] {
            let mut responses = Vec::new();
            for scheme in &schemes {
                let client = service.anonymous().header("authorization", scheme);
                responses.push(client.send(method.parse().expect("a method"), path, "").await.comparable());
            }
            for (response, scheme) in responses.iter().zip(&schemes) {
                assert_eq!(*response, responses[0], "{method} {path} with {token} as {scheme:.10}");
            }
        }
    }
}

/// A hidden repository cannot be distinguished from a missing one.
#[tokio::test]
async fn hidden_repository_equals_missing_one() {
    let mut tokens = String::new();
    let kinds: Vec<&str> = TOKEN_KINDS.iter().map(|(name, _)| *name).chain(["anonymous", "app_jwt"]).collect();
    let outside = |kind: &str| match kind {
        "anonymous" => Credential::full(kind),
        "app_jwt" => Credential::JwtOf("foreign"),
        "installation_token" => Credential::full(kind).through_app("foreign").on_account("other"),
        "fine_grained_pat" => Credential::full(kind).on_account("other"),
        _ => Credential::full(kind).of_user("stranger"),
    };
    for (number, kind) in kinds.iter().enumerate() {
        tokens.extend(outside(kind).token(number).map(|(line, _)| line));
    }
    let fixture = Fixture::with_tokens(&tokens).await;
    let of_repos = TABLE.iter().filter(|row| row.paths[0].starts_with("/repos/{owner}/{repo}"));
    for row in of_repos {
        for (number, kind) in kinds.iter().enumerate() {
            let authorization = fixture.authorization(&outside(kind), number);
            let mut responses = Vec::new();
            for name in ["acme/private", "acme/nothing", "nobody/nothing"] {
                let (owner, repo) = name.split_once('/').expect("owner and name");
                let path = row.paths[0].replace("{owner}", owner).replace("{repo}", repo);
                let path =
                    path.replace("{*ref}", "heads/main").replace("{pull_number}", "1").replace("{comment_id}", "1");
                let path =
                    path.split('{').next().expect("a beginning").to_owned() + if path.contains('{') { "1" } else { "" };
                let body = json!({ "body": "words", "sha": "0".repeat(40), "ref": "refs/heads/new" });
                let response = fixture.send(&row.method, &path, &body, authorization.as_deref()).await;
                responses.push(response.comparable());
            }
            assert_eq!(responses[0], responses[1], "{} as {kind}", row.operation);
            assert_eq!(responses[0], responses[2], "{} as {kind}", row.operation);
        }
    }
}

#[tokio::test]
async fn bad_token_is_rejected_on_public_resource() {
    let service = Service::with(&STATE).await;
    service.apply("tokens: [{ kind: classic, user: owner, scopes: [repo], expires_at: '2026-02-25T06:13:21Z', token: ghp_onesecond }]").await;
    service.anonymous().get("/repos/acme/public").await.expect(200);
    service.with_token("ghp_onesecond").get("/repos/acme/public").await.expect(200);
    service.advance(1);
    service.revoke("ghp_ownerowner").await;
    for token in ["ghp_onesecond", "ghp_ownerowner", "ghp_neverissued", "not-even-a-token"] {
        for path in ["/repos/acme/public", "/", "/users/owner", "/nowhere"] {
            let response = service.with_token(token).get(path).await.expect(401);
            assert_eq!(response.message(), "Bad credentials", "{path}");
        }
    }
    // After expired tokens were recorded, setting the clock back revives none.
    let swept = service.store.write(Tester, service.app.clock.now(), |tx, now| {
        Box::pin(async move { Ok(plinth_core::tokens::store::end_expired(tx, *now).await?) })
    });
    assert_eq!(swept.await.expect("the store accepts the change"), 1);
    service.advance(-3600);
    service.with_token("ghp_onesecond").get("/repos/acme/public").await.expect(401);
    service.with_token("ghp_ownerowner").get("/repos/acme/public").await.expect(401);
}

#[tokio::test]
async fn revoked_rights_apply_to_next_request() {
    let service = Service::with(&STATE).await;
    let reader = service.with_token("ghp_readerreader");
    let seen = reader.get("/repos/acme/private").await.expect(200);
    let tag = seen.header("etag").expect("a tag").to_owned();
    let mut db = service.store.read().await.expect("the store can be read");
    let user = plinth_core::accounts::store::find_by_login(&mut db, "reader").await.expect("read").expect("the reader");
    let repo =
        plinth_core::repos::store::find(&mut db, "acme", "private", None).await.expect("read").expect("the repository");
    drop(db);
    let removed = service.store.write(Tester, (repo.repo.id, user.id), |tx, (repo, user)| {
        Box::pin(async move { Ok(plinth_core::repos::store::delete_collaborator(tx, *repo, *user).await?) })
    });
    assert_eq!(removed.await.expect("the store accepts the change"), 1);
    reader.get("/repos/acme/private").await.expect(404);
    reader.header("if-none-match", &tag).get("/repos/acme/private").await.expect(404);
    service.with_token("ghu_readerreader").get("/repos/acme/private").await.expect(404);
}

#[tokio::test]
async fn suspended_installation_is_forbidden_and_deleted_one_unknown() {
    let service = Service::with(&STATE).await;
    let paths = ["/repos/acme/private", "/repos/acme/public"];
    for path in paths {
        service.with_token("ghs_helperhelper").get(path).await.expect(200);
        service.with_token("ghu_readerreader").get(path).await.expect(200);
    }
    service.apply("installations: [{ app: helper, account: acme, repositories: all, suspended: true }]").await;
    for path in paths {
        for token in ["ghs_helperhelper", "ghu_readerreader"] {
            let response = service.with_token(token).get(path).await.expect(403);
            assert_eq!(response.message(), "This installation has been suspended", "{path}");
        }
    }
    service.apply("installations: [{ app: helper, account: acme, repositories: all }]").await;
    service.with_token("ghs_helperhelper").get(paths[0]).await.expect(200);
    let deleted = service
        .store
        .write(Tester, (), |tx, ()| Box::pin(async move { Ok(tx.execute("delete from installation", &[]).await?) }));
    assert_eq!(deleted.await.expect("the store accepts the change"), 1);
    service.with_token("ghs_helperhelper").get(paths[0]).await.expect(401);
    service.with_token("ghs_helperhelper").get(paths[1]).await.expect(401);
    service.with_token("ghu_readerreader").get(paths[0]).await.expect(404);
    service.with_token("ghu_readerreader").delete(paths[1]).await.expect(403);
}

/// A narrow token does not have its owner's role.
#[tokio::test]
async fn site_admin_with_narrow_token_is_not_admin() {
    let service = Service::with(&STATE).await;
    let narrow = service.with_token("github_pat_admins");
    narrow.get("/repos/acme/private").await.expect(200);
    let rejection = "Resource not accessible by personal access token";
    assert_eq!(narrow.delete("/repos/acme/public").await.expect(403).message(), rejection);
    assert_eq!(narrow.delete("/repos/acme/private").await.expect(403).message(), rejection);
    assert_eq!(narrow.post("/orgs/acme/repos", json!({ "name": "new" })).await.expect(403).message(), rejection);
    service.apply("users: [{ login: someone }]\nrepos: [{ name: someone/secret, private: true }]").await;
    narrow.get("/repos/someone/secret").await.expect(404);
    service.with_token("ghp_ownerowner").get("/repos/someone/secret").await.expect(404);
}

#[tokio::test]
async fn anonymous_writes_are_rejected() {
    let fixture = Fixture::with_tokens("").await;
    let (routes, _) = super::probes::routes();
    // A device that signs in has no credential yet.
    let signs_in = ["oauth/create-device-code", "oauth/create-access-token"];
    let writes = |row: &&Row| row.rule.action == Action::Write && !signs_in.contains(&row.operation);
    for row in routes.rows().filter(|row| writes(row) || row.rule.anonymous == Anonymous::Rejected) {
        let call = fixture.call(row, &RequestTarget::PUBLIC).await;
        let filled = call.path.split('/').map(|part| if part.starts_with('{') { "1" } else { part });
        let path = filled.collect::<Vec<_>>().join("/");
        let response = fixture.send(&call.method, &path, &json!({}), None).await;
        assert_eq!(response.status, 401, "{}", row.operation);
        assert!(response.headers.get("x-oauth-scopes").is_none(), "{}", row.operation);
    }
    let response = fixture.send(&Method::POST, "/user/repos", &Value::Null, None).await;
    assert_eq!(response.message(), "Requires authentication");
}

/// The JWT of an app is accepted for the app's own operations only.
#[tokio::test]
async fn app_jwt_is_accepted_only_by_app_operations() {
    let fixture = Fixture::with_tokens("").await;
    let header = format!("Bearer {}", jwt::sign(fixture.service.app_key(), &jwt::claims("Iv23full")));
    let (routes, _) = super::probes::routes();
    for row in routes.rows() {
        let for_apps = row.rule.kinds.contains(plinth_core::access::Kind::AppJwt);
        if for_apps && row.method != Method::GET {
            // It would remove what the following requests need.
            continue;
        }
        let call = fixture.call(row, &RequestTarget::PUBLIC).await;
        let response = fixture.send(&call.method, &call.path, &call.body, Some(&header)).await;
        assert_eq!(response.status == 401, !for_apps, "{}: {response}", row.operation);
        assert_eq!(response.header("x-ratelimit-limit"), None, "{}", row.operation);
    }
}
