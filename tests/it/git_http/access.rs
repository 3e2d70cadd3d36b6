//! Clone and push require the same rights as the API, in every authorization scheme.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::Method;

use super::host::{Host, OWNER, READ_ONLY, READER};
use crate::support::Response;

const FETCH: &str = "git-upload-pack";
const PUSH: &str = "git-receive-pack";

fn basic(token: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("x-access-token:{token}")))
}

/// The two requests of a clone or push.
async fn both(host: &Host, authorization: Option<&str>, repo: &str, service: &str) -> [Response; 2] {
    let mut client = host.service.anonymous().header("content-type", &format!("application/x-{service}-request"));
    if let Some(value) = authorization {
        client = client.header("authorization", value);
    }
    [
        client.get(&format!("/{repo}.git/info/refs?service={service}")).await,
        client.send(Method::POST, &format!("/{repo}.git/{service}"), "0000").await,
    ]
}

#[tokio::test]
async fn token_has_same_rights_in_both_schemes_and_requests() {
    let host = Host::start().await;
    for (token, repo, service, status) in [
        (OWNER, "octo-org/secret", FETCH, 200),
        (OWNER, "octo-org/secret", PUSH, 200),
        (READER, "octo-org/secret", FETCH, 200),
        (READER, "octo-org/secret", PUSH, 403),
        (READER, "octo-org/hello", PUSH, 403),
        (READ_ONLY, "octo-org/secret", FETCH, 200),
        (READ_ONLY, "octo-org/secret", PUSH, 403),
        (READ_ONLY, "octo-org/hello", PUSH, 403),
        ("ghp_stranger", "octo-org/secret", FETCH, 404),
        ("ghp_stranger", "octo-org/secret", PUSH, 404),
        ("ghp_stranger", "octo-org/absent", FETCH, 404),
        ("ghp_stranger", "octo-org/hello", FETCH, 200),
        ("ghp_unknown", "octo-org/hello", FETCH, 401),
        (OWNER, "octo-org/old", FETCH, 200),
        (OWNER, "octo-org/old", PUSH, 403),
    ] {
        for authorization in [basic(token), format!("Bearer {token}"), format!("token {token}")] {
            for response in both(&host, Some(&authorization), repo, service).await {
                assert_eq!(response.status, status, "{token} {repo} {service} {response}");
            }
        }
    }
}

#[tokio::test]
async fn anonymous_caller_cannot_distinguish_private_from_missing() {
    let host = Host::start().await;
    for service in [FETCH, PUSH] {
        let private = both(&host, None, "octo-org/secret", service).await;
        let absent = both(&host, None, "octo-org/absent", service).await;
        let nobody = both(&host, None, "nobody/absent", service).await;
        for (index, response) in private.iter().enumerate() {
            assert_eq!(response.status, 401);
            assert_eq!(response.header("www-authenticate"), Some("Basic realm=\"Plinth\", charset=\"UTF-8\""));
            assert_eq!(response.header("content-type"), Some("text/plain; charset=utf-8"));
            assert_eq!(response.body, "Sign in with a token as the password.\n");
            assert_eq!(response.comparable(), absent[index].comparable());
            assert_eq!(response.comparable(), nobody[index].comparable());
        }
    }
    let public = both(&host, None, "octo-org/hello", PUSH).await;
    assert!(public.iter().all(|response| response.status == 401 && response.header("www-authenticate").is_some()));
    let public = both(&host, None, "octo-org/hello", FETCH).await;
    assert!(public.iter().all(|response| response.status == 200));
}

#[tokio::test]
async fn error_responses_are_short_texts_for_git() {
    let host = Host::start().await;
    let printed = host.git("", &["clone", &host.url("ghp_stranger", "octo-org/secret"), "x"]).await.rejected();
    assert!(printed.contains("remote: Repository not found."), "{printed}");
    let printed = host.git("", &["clone", &host.open_url("octo-org/secret"), "x"]).await.rejected();
    assert!(printed.contains("could not read Username"), "{printed}");
    host.work("work", READER, "octo-org/secret", 1).await;
    let printed = host.git("work", &["push", "origin", "main"]).await.rejected();
    assert!(printed.contains("remote: Must have push access to repository") && printed.contains("403"), "{printed}");
    let dumb = host.service.anonymous().get("/octo-org/hello.git/info/refs").await.expect(403);
    assert_eq!(dumb.body, "Please use a git client that speaks the smart protocol.\n");
}

/// Git asks without a credential first, and everybody in an office may have the same address.
#[tokio::test]
async fn git_requests_do_not_count_against_rate_limit() {
    let host = Host::with_settings(|settings| {
        settings.rate_limits.enforced = true;
        settings.rate_limits.anonymous_requests_per_hour = 2;
        settings.rate_limits.requests_per_hour = 2;
    })
    .await;
    for _ in 0..3 {
        for (authorization, repo, status) in [
            (None, "octo-org/hello", 200),
            (None, "octo-org/secret", 401),
            (Some(basic(OWNER)), "octo-org/secret", 200),
        ] {
            for response in both(&host, authorization.as_deref(), repo, FETCH).await {
                assert_eq!(response.status, status, "{repo} {response}");
                assert_eq!(response.header("x-ratelimit-remaining"), None);
            }
        }
    }
    // Those of the REST API do, and git works on when they have used up the limit.
    for status in [200, 200, 403] {
        host.service.anonymous().get("/repos/octo-org/hello").await.expect(status);
        host.service.with_token(OWNER).get("/repos/octo-org/hello").await.expect(status);
    }
    host.git("", &["clone", "--quiet", &host.url(OWNER, "octo-org/secret"), "secret"]).await.ok();
}

/// Guesses count, so that they are seen in the limit of their address.
#[tokio::test]
async fn wrong_credential_in_git_counts_against_rate_limit() {
    let host = Host::with_settings(|settings| settings.rate_limits.enforced = true).await;
    let remaining = async || {
        let response = host.service.anonymous().get("/rate_limit").await.expect(200);
        response.json()["resources"]["core"]["remaining"].as_i64().expect("a number")
    };
    let before = remaining().await;
    both(&host, Some(&basic("ghp_unknown")), "octo-org/hello", FETCH).await;
    assert_eq!(remaining().await, before - 2);
}

#[tokio::test]
async fn git_request_without_free_process_returns_503() {
    let host = Host::with_settings(|settings| settings.git.processes_max = 0).await;
    let [_, push] = both(&host, Some(&basic(OWNER)), "octo-org/hello", PUSH).await;
    assert_eq!((push.status, push.header("retry-after")), (503, Some("1")), "{push}");
}
