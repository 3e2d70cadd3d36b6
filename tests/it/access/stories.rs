//! Stories about rights that no single row tells.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use serde_json::{Value, json};

use super::credential::Credential;
use super::objects::Place;
use super::rows::TOKEN_KINDS;
use super::world::World;
use crate::support::{Service, Tester, jwt};
use plinth_api::policy::Row;
use plinth_api::policy::table::TABLE;
use plinth_core::access::{Action, Anonymous};

const STATE: &str = "
users: [{ login: owner, site_admin: true }, { login: reader }]
orgs: [{ login: acme, members: [{ user: owner, role: admin }] }]
repos:
  - { name: acme/public }
  - { name: acme/private, private: true, collaborators: [{ user: reader, permission: read }] }
apps: [{ slug: helper, owner: acme, permissions: { contents: write, administration: write } }]
installations: [{ app: helper, account: acme, repositories: all }]
tokens:
  - { kind: classic, user: owner, scopes: [repo, delete_repo], token: ghp_ownerowner }
  - { kind: oauth, user: owner, scopes: [repo, delete_repo], token: gho_ownerowner }
  - { kind: classic, user: owner, scopes: [], token: ghp_unscoped }
  - { kind: classic, user: reader, scopes: [repo, delete_repo], token: ghp_readerreader }
  - { kind: fine_grained, user: owner, owner: acme, permissions: { contents: read }, token: github_pat_admins }
  - { kind: app_user, user: reader, app: helper, token: ghu_readerreader }
  - { kind: installation, app: helper, account: acme, token: ghs_helperhelper }
";

/// Every way to send one token is decided alike, in reading and in writing.
#[tokio::test]
async fn a_token_is_worth_the_same_in_every_scheme() {
    let service = Service::with(STATE).await;
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
            let mut answers = Vec::new();
            for scheme in &schemes {
                let client = service.anonymous().header("authorization", scheme);
                answers.push(client.send(method.parse().expect("a method"), path, "").await.comparable());
            }
            for (answer, scheme) in answers.iter().zip(&schemes) {
                assert_eq!(*answer, answers[0], "{method} {path} with {token} as {scheme:.10}");
            }
        }
    }
}

/// Nobody can tell a repository that is hidden from one that is not there.
#[tokio::test]
async fn a_hidden_repository_is_the_same_as_none() {
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
    let world = World::with_tokens(&tokens).await;
    let of_repos = TABLE.iter().filter(|row| row.paths[0].starts_with("/repos/{owner}/{repo}"));
    for row in of_repos {
        for (number, kind) in kinds.iter().enumerate() {
            let authorization = world.authorization(&outside(kind), number);
            let mut answers = Vec::new();
            for name in ["acme/private", "acme/nothing", "nobody/nothing"] {
                let (owner, repo) = name.split_once('/').expect("owner and name");
                let path = row.paths[0].replace("{owner}", owner).replace("{repo}", repo);
                let path =
                    path.replace("{*ref}", "heads/main").replace("{pull_number}", "1").replace("{comment_id}", "1");
                let path =
                    path.split('{').next().expect("a beginning").to_owned() + if path.contains('{') { "1" } else { "" };
                let body = json!({ "body": "words", "sha": "0".repeat(40), "ref": "refs/heads/new" });
                let answer = world.send(&row.method, &path, &body, authorization.as_deref()).await;
                answers.push(answer.comparable());
            }
            assert_eq!(answers[0], answers[1], "{} as {kind}", row.operation);
            assert_eq!(answers[0], answers[2], "{} as {kind}", row.operation);
        }
    }
}

#[tokio::test]
async fn a_bad_token_is_refused_where_none_is_needed() {
    let service = Service::with(STATE).await;
    service.apply("tokens: [{ kind: classic, user: owner, scopes: [repo], expires_at: '2026-02-25T06:13:21Z', token: ghp_onesecond }]").await;
    service.anonymous().get("/repos/acme/public").await.expect(200);
    service.with_token("ghp_onesecond").get("/repos/acme/public").await.expect(200);
    service.advance(1);
    service.revoke("ghp_ownerowner").await;
    for token in ["ghp_onesecond", "ghp_ownerowner", "ghp_neverissued", "not-even-a-token"] {
        for path in ["/repos/acme/public", "/", "/users/owner", "/nowhere"] {
            let answer = service.with_token(token).get(path).await.expect(401);
            assert_eq!(answer.message(), "Bad credentials", "{path}");
        }
    }
    // Setting the clock back revives nothing once the sweep has been.
    let swept = service.store.write(Tester, service.app.clock.now(), |tx, now| {
        Box::pin(async move { Ok(plinth_core::tokens::store::end_expired(tx, *now).await?) })
    });
    assert_eq!(swept.await.expect("the store takes the change"), 1);
    service.advance(-3600);
    service.with_token("ghp_onesecond").get("/repos/acme/public").await.expect(401);
    service.with_token("ghp_ownerowner").get("/repos/acme/public").await.expect(401);
}

#[tokio::test]
async fn what_is_taken_away_is_gone_at_the_next_request() {
    let service = Service::with(STATE).await;
    let reader = service.with_token("ghp_readerreader");
    let seen = reader.get("/repos/acme/private").await.expect(200);
    let tag = seen.header("etag").expect("a tag").to_owned();
    let mut db = service.store.read().await.expect("the store answers");
    let user = plinth_core::accounts::store::find_by_login(&mut db, "reader").await.expect("read").expect("the reader");
    let repo =
        plinth_core::repos::store::find(&mut db, "acme", "private", None).await.expect("read").expect("the repository");
    drop(db);
    let removed = service.store.write(Tester, (repo.repo.id, user.id), |tx, (repo, user)| {
        Box::pin(async move { Ok(plinth_core::repos::store::delete_collaborator(tx, *repo, *user).await?) })
    });
    assert_eq!(removed.await.expect("the store takes the change"), 1);
    reader.get("/repos/acme/private").await.expect(404);
    reader.header("if-none-match", &tag).get("/repos/acme/private").await.expect(404);
    service.with_token("ghu_readerreader").get("/repos/acme/private").await.expect(404);
}

#[tokio::test]
async fn a_suspended_installation_can_do_nothing_and_a_deleted_one_is_not_there() {
    let service = Service::with(STATE).await;
    let paths = ["/repos/acme/private", "/repos/acme/public"];
    for path in paths {
        service.with_token("ghs_helperhelper").get(path).await.expect(200);
        service.with_token("ghu_readerreader").get(path).await.expect(200);
    }
    service.apply("installations: [{ app: helper, account: acme, repositories: all, suspended: true }]").await;
    for path in paths {
        for token in ["ghs_helperhelper", "ghu_readerreader"] {
            let answer = service.with_token(token).get(path).await.expect(403);
            assert_eq!(answer.message(), "This installation has been suspended", "{path}");
        }
    }
    service.apply("installations: [{ app: helper, account: acme, repositories: all }]").await;
    service.with_token("ghs_helperhelper").get(paths[0]).await.expect(200);
    let deleted = service
        .store
        .write(Tester, (), |tx, ()| Box::pin(async move { Ok(tx.execute("delete from installation", &[]).await?) }));
    assert_eq!(deleted.await.expect("the store takes the change"), 1);
    service.with_token("ghs_helperhelper").get(paths[0]).await.expect(401);
    service.with_token("ghs_helperhelper").get(paths[1]).await.expect(401);
    service.with_token("ghu_readerreader").get(paths[0]).await.expect(404);
    service.with_token("ghu_readerreader").delete(paths[1]).await.expect(403);
}

/// A narrow token does not inherit what its owner is.
#[tokio::test]
async fn a_site_admin_with_a_narrow_token_administers_nothing() {
    let service = Service::with(STATE).await;
    let narrow = service.with_token("github_pat_admins");
    narrow.get("/repos/acme/private").await.expect(200);
    let refusal = "Resource not accessible by personal access token";
    assert_eq!(narrow.delete("/repos/acme/public").await.expect(403).message(), refusal);
    assert_eq!(narrow.delete("/repos/acme/private").await.expect(403).message(), refusal);
    assert_eq!(narrow.post("/orgs/acme/repos", json!({ "name": "new" })).await.expect(403).message(), refusal);
    service.apply("users: [{ login: someone }]\nrepos: [{ name: someone/secret, private: true }]").await;
    narrow.get("/repos/someone/secret").await.expect(404);
    service.with_token("ghp_ownerowner").get("/repos/someone/secret").await.expect(404);
}

#[tokio::test]
async fn nobody_writes_without_a_credential() {
    let world = World::with_tokens("").await;
    let (routes, _) = super::probes::routes();
    // A device that signs in has no credential yet.
    let signs_in = ["oauth/create-device-code", "oauth/create-access-token"];
    let writes = |row: &&Row| row.rule.action == Action::Write && !signs_in.contains(&row.operation);
    for row in routes.rows().filter(|row| writes(row) || row.rule.anonymous == Anonymous::Rejected) {
        let call = world.call(row, &Place::PUBLIC).await;
        let filled = call.path.split('/').map(|part| if part.starts_with('{') { "1" } else { part });
        let path = filled.collect::<Vec<_>>().join("/");
        let answer = world.send(&call.method, &path, &json!({}), None).await;
        assert_eq!(answer.status, 401, "{}", row.operation);
        assert!(answer.headers.get("x-oauth-scopes").is_none(), "{}", row.operation);
    }
    let answer = world.send(&Method::POST, "/user/repos", &Value::Null, None).await;
    assert_eq!(answer.message(), "Requires authentication");
}

/// A key of an app opens the app's own operations and nothing else.
#[tokio::test]
async fn an_apps_key_opens_only_what_is_the_apps_own() {
    let world = World::with_tokens("").await;
    let header = format!("Bearer {}", jwt::sign(world.service.app_key(), &jwt::claims("Iv23full")));
    let (routes, _) = super::probes::routes();
    for row in routes.rows() {
        let for_apps = row.rule.kinds.contains(plinth_core::access::Kind::AppJwt);
        if for_apps && row.method != Method::GET {
            // It would take away what the others are asked about.
            continue;
        }
        let call = world.call(row, &Place::PUBLIC).await;
        let answer = world.send(&call.method, &call.path, &call.body, Some(&header)).await;
        assert_eq!(answer.status == 401, !for_apps, "{}: {answer}", row.operation);
        assert_eq!(answer.header("x-ratelimit-limit"), None, "{}", row.operation);
    }
}
