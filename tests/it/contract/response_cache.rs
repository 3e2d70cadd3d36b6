//! The response cache serves a response only while it is current.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::support::fixtures::{octo_org, two_branches};
use crate::support::{Client, Service, Tester};
use plinth_api::settings::Settings;

static STATE: LazyLock<String> = LazyLock::new(|| {
    octo_org(&["mona", "hubot", "guest"])
        .repo(
            "octo-org/secret",
            &format!("private: true, collaborators: [{{ user: hubot, permission: write }}], {}", two_branches("")),
        )
        .project(
            "octo-org",
            "Roadmap",
            "fields: [{ name: Sprint, data_type: iteration, iteration_configuration: { start_date: '2026-02-25', \
             duration: 7, iterations: [{ title: First, start_date: '2026-02-25', duration: 7 }] } }]",
        )
        .classic("mona", "repo, project", "ghp_monamona")
        .classic("hubot", "repo", "ghp_hubothubot")
        .classic("guest", "repo", "ghp_guestguest")
        .to_string()
});
const REF: &str = "/repos/octo-org/secret/git/ref/heads/main";

async fn sha(client: &Client<'_>) -> Value {
    client.get(REF).await.expect(200).json()["object"]["sha"].clone()
}

fn response_cache_hits(service: &Service) -> u64 {
    let page = service.app.metrics.render(&service.app);
    let line = page.lines().find(|line| line.starts_with("plinth_response_cache_hits_total "));
    line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).expect("the figure is on the page")
}

/// A service that adds responses as in production.
async fn with_default_admission() -> Service {
    let mut service = Service::with(&STATE).await;
    let rate_limits = service.app.settings.rate_limits.clone();
    service.restart_with(Settings { rate_limits, ..Settings::default() }).await;
    service
}

#[tokio::test]
async fn repeated_get_is_cache_hit() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_monamona");
    let first = mona.get(REF).await.expect(200);
    let second = mona.get(REF).await.expect(200);
    assert_eq!(first.body, second.body);
    assert_eq!(first.header("etag"), second.header("etag"));
    let expected = u64::from(service.app.generations().await.is_some());
    assert_eq!(response_cache_hits(&service), expected);
}

#[tokio::test]
async fn response_is_cached_from_the_second_request_on() {
    let service = with_default_admission().await;
    let cached = u64::from(service.app.generations().await.is_some());
    let mut hits = Vec::new();
    for _ in 0..4 {
        service.with_token("ghp_monamona").get(REF).await.expect(200);
        hits.push(response_cache_hits(&service));
    }
    assert_eq!(hits, [0, 0, cached, 2 * cached]);
}

#[tokio::test]
async fn response_is_cached_only_if_the_last_one_would_still_be_valid() {
    let service = with_default_admission().await;
    let cached = u64::from(service.app.generations().await.is_some());
    let mona = service.with_token("ghp_monamona");
    let main = sha(&mona).await;
    for number in 0..3 {
        let new = json!({ "ref": format!("refs/heads/new-{number}"), "sha": main });
        mona.post("/repos/octo-org/secret/git/refs", new).await.expect(201);
        sha(&mona).await;
    }
    assert_eq!(response_cache_hits(&service), 0);
    // The first of these is the second in a row without a write.
    for hits in [0, 1, 2] {
        sha(&mona).await;
        assert_eq!(response_cache_hits(&service), hits * cached);
    }
}

#[tokio::test]
async fn cached_response_is_valid_after_some_hours() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_monamona");
    let before = sha(&mona).await;
    service.advance(2 * 3600);
    assert_eq!(sha(&mona).await, before);
    let expected = u64::from(service.app.generations().await.is_some());
    assert_eq!(response_cache_hits(&service), expected);
}

#[tokio::test]
async fn cached_response_ends_with_its_token_for_good() {
    let service = Service::with(&STATE).await;
    let token = "kind: classic, user: mona, scopes: [repo], expires_at: '2026-02-25T07:00:00Z', token: ghp_shortshort";
    service.apply(&format!("tokens: [{{ {token} }}]")).await;
    let (script, other) = (service.with_token("ghp_shortshort"), REF.replace("main", "next"));
    for path in [REF, &other] {
        script.get(path).await.expect(200);
        script.get(path).await.expect(200);
    }
    service.advance(3600);
    script.get(REF).await.expect(401);
    // A clock that is set back does not make the token valid again, also where no request has found it expired.
    service.advance(-1800);
    script.get(&other).await.expect(401);
}

#[tokio::test]
async fn cache_of_zero_bytes_stores_nothing() {
    let mut settings = Settings { response_cache_bytes: 0, ..Settings::default() };
    settings.rate_limits.enforced = false;
    let service = Service::with_settings(&STATE, settings).await;
    let mona = service.with_token("ghp_monamona");
    assert_eq!(sha(&mona).await, sha(&mona).await);
    assert_eq!(response_cache_hits(&service), 0);
}

#[tokio::test]
async fn write_invalidates_cached_response() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_monamona");
    let before = sha(&mona).await;
    let next = mona.get("/repos/octo-org/secret/git/ref/heads/next").await.expect(200).json();
    assert_eq!(sha(&mona).await, before);
    let moved = json!({ "sha": next["object"]["sha"] });
    mona.patch("/repos/octo-org/secret/git/refs/heads/main", moved).await.expect(200);
    assert_eq!(sha(&mona).await, next["object"]["sha"]);
}

#[tokio::test]
async fn token_revoked_by_another_process_is_rejected_at_once() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_monamona");
    assert_eq!(sha(&mona).await, sha(&mona).await);
    let elsewhere = service.store_elsewhere().await;
    let context = (plinth_core::tokens::hash("ghp_monamona"), service.app.clock.now());
    let ended = elsewhere.write(Tester, context, |tx, (hash, now)| {
        Box::pin(async move {
            let found = plinth_core::tokens::store::find_by_hash(tx, hash).await?;
            Ok(plinth_core::tokens::store::end(tx, found.expect("the token exists"), *now).await?)
        })
    });
    assert_eq!(ended.await.expect("the store accepts the change"), 1);
    mona.get(REF).await.expect(401);
}

#[tokio::test]
async fn cached_response_is_not_shared_between_callers() {
    let service = Service::with(&STATE).await;
    let (mona, hubot, guest) = (
        service.with_token("ghp_monamona"),
        service.with_token("ghp_hubothubot"),
        service.with_token("ghp_guestguest"),
    );
    let seen = mona.get(REF).await.expect(200);
    guest.get(REF).await.expect(404);
    service.anonymous().get(REF).await.expect(404);
    let also_seen = hubot.get(REF).await.expect(200);
    assert_eq!(seen.body, also_seen.body);
    assert_ne!(seen.header("etag"), also_seen.header("etag"));
    let elsewhere = mona.clone().header("host", "other.test").get(REF).await.expect(200).json();
    assert!(elsewhere["url"].as_str().is_some_and(|url| url.starts_with("http://other.test/")), "{elsewhere}");
    let prefixed = mona.get(&format!("/api/v3{REF}")).await.expect(200).json();
    assert!(prefixed["url"].as_str().is_some_and(|url| url.contains("/api/v3/")), "{prefixed}");
}

#[tokio::test]
async fn cache_hit_honors_conditional_headers() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_monamona");
    let whole = mona.get(REF).await.expect(200);
    let tag = whole.header("etag").expect("it has a tag").to_owned();
    let cached = mona.clone().header("if-none-match", &tag).get(REF).await.expect(304);
    assert!(cached.body.is_empty() && cached.header("etag") == Some(tag.as_str()));
    mona.get(REF).await.expect(200);
    let head = mona.head(REF).await.expect(200);
    assert!(head.body.is_empty() && head.header("content-length") == Some(whole.body.len().to_string().as_str()));
}

#[tokio::test]
async fn cached_response_expires_with_time_dependent_content() {
    let service = Service::with(&STATE).await;
    let mona = service.with_token("ghp_monamona");
    let path = "/orgs/octo-org/projectsV2/1/fields?per_page=100";
    let completed = |list: Value| {
        let fields = list.as_array().expect("a list").clone();
        let sprint = fields.into_iter().find(|field| field["name"] == "Sprint").expect("the field is there");
        sprint["configuration"]["iterations"][0]["completed"].clone()
    };
    assert_eq!(completed(mona.get(path).await.expect(200).json()), json!(false));
    assert_eq!(completed(mona.get(path).await.expect(200).json()), json!(false));
    service.advance(30 * 24 * 3600);
    assert_eq!(completed(mona.get(path).await.expect(200).json()), json!(true));
}
