//! The life of an installation token: active, then revoked or expired, and never active again.

use plinth_core::expiry;
use plinth_store::{Dependency, InvalidationScope};
use serde_json::json;

use super::{reached, service, suspend};
use crate::support::Service;

const LIST: &str = "/installation/repositories";
const LIFETIME: i64 = 60 * 60;

async fn rejected(service: &Service, token: &str) {
    let response = service.with_token(token).get(LIST).await.expect(401);
    assert_eq!(response.message(), "Bad credentials");
    assert_eq!(response.header("x-ratelimit-limit"), Some("60"));
}

/// Rule 2: the token of the request, and no other.
#[tokio::test]
async fn installation_token_revokes_itself() {
    let service = service().await;
    let response = service.with_token("ghs_helper00").delete("/installation/token").await.expect(204);
    assert!(response.body.is_empty());
    rejected(&service, "ghs_helper00").await;
    service.with_token("ghs_helper00").delete("/installation/token").await.expect(401);
    service.with_token("ghs_narrow00").get(LIST).await.expect(200);
    service.with_token("ghs_other000").get(LIST).await.expect(200);
}

#[tokio::test]
async fn revoked_token_stays_revoked_when_clock_is_set_back() {
    let service = service().await;
    service.with_token("ghs_helper00").delete("/installation/token").await.expect(204);
    service.advance(-LIFETIME);
    rejected(&service, "ghs_helper00").await;
}

#[tokio::test]
async fn installation_token_expires_after_sixty_minutes() {
    let service = service().await;
    service.advance(LIFETIME - 1);
    assert_eq!(reached(&service).await.len(), 2);
    service.advance(1);
    rejected(&service, "ghs_helper00").await;
    service.with_token("ghs_helper00").delete("/installation/token").await.expect(401);
}

#[tokio::test]
async fn expired_token_stays_expired_when_clock_is_set_back() {
    let service = service().await;
    service.advance(LIFETIME);
    rejected(&service, "ghs_helper00").await;
    service.advance(-LIFETIME);
    rejected(&service, "ghs_helper00").await;
    // A token that was not presented meanwhile was never recorded as expired.
    service.with_token("ghs_narrow00").get(LIST).await.expect(200);
    expiry::once(&service.app).await.expect("maintenance ends tokens that were seen expired");
    assert!(service.app.expired_tokens.list().is_empty());
    rejected(&service, "ghs_helper00").await;
}

#[tokio::test]
async fn maintenance_expires_unused_tokens() {
    let service = service().await;
    service.advance(LIFETIME);
    expiry::once(&service.app).await.expect("maintenance ends expired tokens");
    service.advance(-LIFETIME);
    rejected(&service, "ghs_helper00").await;
    rejected(&service, "ghs_narrow00").await;
    service.with_token("ghu_mona0000").get("/user/installations").await.expect(200);
}

/// It runs every minute on every node.
#[tokio::test]
async fn maintenance_that_ends_nothing_leaves_what_is_in_memory() {
    let service = service().await;
    service.settled().await;
    let is_kept = async |service: &Service| {
        let since = service.app.generations().await.expect("the store responds");
        expiry::once(&service.app).await.expect("maintenance runs");
        let now = service.app.generations().await.expect("the store responds");
        let table = service.app.generation_table();
        assert!(table.is_unchanged(now, Dependency::Rights));
        let everything = [Dependency::Rights, Dependency::Content(InvalidationScope::Everything)];
        everything.map(|dependency| table.is_unchanged(since, dependency))
    };
    assert_eq!(is_kept(&service).await, [true, true]);
    service.advance(LIFETIME);
    assert_eq!(is_kept(&service).await, [false, false], "tokens have expired");
    assert_eq!(is_kept(&service).await, [true, true]);
}

#[tokio::test]
async fn suspension_applies_to_next_request_of_every_token() {
    let service = service().await;
    suspend(&service).await;
    for (token, path) in [
        ("ghs_helper00", LIST),
        ("ghs_narrow00", LIST),
        ("ghs_helper00", "/repos/octo-org/secret"),
        ("ghu_mona0000", "/repos/octo-org/secret"),
        ("ghu_mona0000", "/user/installations/1/repositories"),
    ] {
        let response = service.with_token(token).get(path).await.expect(403);
        assert_eq!(response.message(), "This installation has been suspended", "{token} {path}");
    }
    service.with_token("ghs_helper00").delete("/installation/token").await.expect(403);
    service.with_token("ghs_other000").get(LIST).await.expect(200);
    // The user's own tokens do not depend on the installation.
    service.with_token("ghp_mona0000").get("/repos/octo-org/secret").await.expect(200);
}

/// Tokens lose what their installation loses.
#[tokio::test]
async fn token_permissions_follow_current_installation() {
    let service = service().await;
    service
        .apply(
            "apps: [{ slug: maker, owner: mona, permissions: { administration: write } }]\n\
             installations: [{ app: maker, account: octo-org, repositories: all }]\n\
             tokens: [{ kind: installation, app: maker, account: octo-org, token: ghs_maker000 }]",
        )
        .await;
    let maker = service.with_token("ghs_maker000");
    maker.post("/orgs/octo-org/repos", json!({ "name": "one" })).await.expect(201);
    service
        .apply("installations: [{ app: maker, account: octo-org, repositories: all, permissions: { administration: read } }]")
        .await;
    let response = maker.post("/orgs/octo-org/repos", json!({ "name": "two" })).await.expect(403);
    assert_eq!(response.message(), "Resource not accessible by integration");
    assert_eq!(response.header("x-accepted-github-permissions"), Some("administration=write"));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_revocations_succeed_once() {
    let service = service().await;
    let helper = service.with_token("ghs_helper00");
    let path = "/installation/token";
    let (one, two) = tokio::join!(helper.delete(path), helper.delete(path));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 401]);
}
