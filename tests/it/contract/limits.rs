//! Rate limits: which key a request counts for, and the response when its quota is exhausted.

use std::net::IpAddr;

use expect_test::expect;
use futures_util::FutureExt;
use serde_json::json;

use super::{service, service_with};
use crate::support::fixtures::{mona, two_branches};
use crate::support::{Response, START, Service};
use plinth_api::settings::Settings;
use plinth_base::clock::Timestamp;
use plinth_base::error::Error;
use plinth_base::ids::AccountId;
use plinth_core::rate_limit::{LimitKey, RateLimiter, RateLimits};

fn small() -> Settings {
    let limits = RateLimits { requests_per_hour: 3, anonymous_requests_per_hour: 2, ..RateLimits::default() };
    Settings { rate_limits: limits, ..Settings::default() }
}

fn at_once<T>(decision: impl Future<Output = T>) -> T {
    decision.now_or_never().expect("a server that shares no limits never waits")
}

fn rate_limit(response: &Response) -> [i64; 4] {
    let number =
        |name: &str| response.header(name).unwrap_or_else(|| panic!("{name} is missing")).parse().expect("a number");
    assert_eq!(response.header("x-ratelimit-resource"), Some("core"));
    [
        number("x-ratelimit-limit"),
        number("x-ratelimit-used"),
        number("x-ratelimit-remaining"),
        number("x-ratelimit-reset"),
    ]
}

#[tokio::test]
async fn tokens_of_one_user_share_rate_limit() {
    let service = service_with(small()).await;
    let reset = START.0 + 3600;
    assert_eq!(rate_limit(&service.with_token("ghp_monamona").get("/user").await.expect(200)), [3, 1, 2, reset]);
    service.advance(10);
    assert_eq!(rate_limit(&service.with_token("ghp_monasecond").get("/user").await.expect(200)), [3, 2, 1, reset]);
    assert_eq!(rate_limit(&service.with_token("ghu_monamona").get("/nowhere").await.expect(404)), [3, 3, 0, reset]);
    let response = service.with_token("ghp_monamona").get("/user").await;
    expect![[r#"
        403
        {
          "documentation_url": "http://plinth.test/docs#rate-limits-for-the-rest-api",
          "message": "API rate limit exceeded for user ID 1.",
          "status": "403"
        }"#]]
    .assert_eq(&response.to_string());
    assert_eq!(rate_limit(&response), [3, 3, 0, reset]);
    service.with_token("ghp_hubothubot").get("/user").await.expect(200);
    // Reading the rate limit does not count, even when the quota is exhausted.
    let looked = service.with_token("ghp_monamona").get("/rate_limit").await.expect(200);
    assert_eq!(looked.json()["resources"]["core"]["remaining"], 0);
    service.advance(3590);
    assert_eq!(rate_limit(&service.with_token("ghp_monamona").get("/user").await.expect(200)), [3, 1, 2, reset + 3600]);
}

#[tokio::test]
async fn installation_has_its_own_rate_limit() {
    let service = service_with(small()).await;
    let helper = service.with_token("ghs_helperhelper");
    for used in 1..=3 {
        assert_eq!(rate_limit(&helper.get("/repos/octo-org/hello").await.expect(200))[1], used);
    }
    let response = helper.get("/repos/octo-org/hello").await;
    expect![[r#"
        403
        {
          "documentation_url": "http://plinth.test/docs#rate-limits-for-the-rest-api",
          "message": "API rate limit exceeded for installation ID 1.",
          "status": "403"
        }"#]]
    .assert_eq(&response.to_string());
    service.with_token("ghp_monamona").get("/user").await.expect(200);
}

#[tokio::test]
async fn ip_address_has_its_own_rate_limit() {
    let service = service_with(small()).await;
    let here = service.anonymous();
    assert_eq!(rate_limit(&here.get("/meta").await.expect(200))[..3], [2, 1, 1]);
    // A request with a bad credential counts for its IP address, and says so.
    assert_eq!(rate_limit(&service.with_token("ghp_unknown").get("/meta").await.expect(401))[..3], [2, 2, 0]);
    let response = here.get("/meta").await;
    expect![[r#"
        403
        {
          "documentation_url": "http://plinth.test/docs#rate-limits-for-the-rest-api",
          "message": "API rate limit exceeded for 127.0.0.1. (But here's the good news: Authenticated requests get a higher rate limit. Check out the documentation for more details.)",
          "status": "403"
        }"#]].assert_eq(&response.to_string());
    // A forged address does not give a new quota.
    here.clone().header("x-forwarded-for", "203.0.113.9").get("/meta").await.expect(403);
    here.from(IpAddr::from([203, 0, 113, 9])).get("/meta").await.expect(200);
}

#[tokio::test]
async fn trusted_proxy_sets_client_address() {
    let proxy = IpAddr::from([10, 0, 0, 1]);
    let service = service_with(Settings { trusted_proxies: vec![proxy.into()], ..small() }).await;
    let through = |client: &str| service.anonymous().header("x-forwarded-for", client).from(proxy);
    through("198.51.100.1").get("/meta").await.expect(200);
    // What the client wrote precedes what the proxy appended.
    through("9.9.9.9, 198.51.100.1").get("/meta").await.expect(200);
    through("8.8.8.8, 198.51.100.1").get("/meta").await.expect(403);
    through("198.51.100.2").get("/meta").await.expect(200);
    through("rubbish").get("/meta").await.expect(200);
}

/// All header lines are read from the last; trusted proxies are skipped, and an entry that is no address ends the list.
#[tokio::test]
async fn client_is_nearest_untrusted_forwarded_address() {
    let trusted_proxies = ["10.0.0.0/8", "2001:db8:1::/48", "192.0.2.7"].map(|text| text.parse().expect("a network"));
    let service = service_with(Settings { trusted_proxies: trusted_proxies.to_vec(), ..small() }).await;
    for (peer, lines, client) in [
        ("10.0.0.1", &["9.9.9.9, 198.51.100.1"][..], "198.51.100.1"),
        // A header line of the client precedes the line of the proxy.
        ("10.0.0.1", &["9.9.9.9", "198.51.100.2"], "198.51.100.2"),
        ("10.0.0.1", &["9.9.9.9", "198.51.100.3, 10.1.2.3", "10.9.9.9,192.0.2.7"], "198.51.100.3"),
        ("2001:db8:1:2::3", &["198.51.100.4:4711, 2001:db8:1::1"], "198.51.100.4"),
        ("::ffff:10.0.0.1", &["[2001:db8:2::1]:443"], "2001:db8:2::1"),
        ("10.0.0.1", &["::ffff:198.51.100.5"], "198.51.100.5"),
        // Entries before an entry that is no address are not trusted.
        ("10.0.0.2", &["198.51.100.6, unknown, 10.0.0.3"], "10.0.0.3"),
        ("10.0.0.4", &["198.51.100.7, "], "10.0.0.4"),
        // If all are trusted proxies, the farthest is nearest to the client.
        ("10.0.0.5", &["10.0.0.6, 10.0.0.7"], "10.0.0.6"),
        ("192.0.2.8", &["198.51.100.8"], "192.0.2.8"),
        ("192.0.2.7", &[], "192.0.2.7"),
    ] {
        let mut proxied = service.anonymous();
        for line in lines {
            proxied = proxied.header("x-forwarded-for", line);
        }
        let proxied = proxied.from(peer.parse().expect("an address"));
        for status in [200, 200, 403] {
            let response = proxied.get("/meta").await;
            assert_eq!(response.status, status, "{lines:?} from {peer}");
            assert!(status == 200 || response.message().contains(&format!("for {client}.")), "{}", response.message());
        }
    }
}

/// A client can choose its address from a whole /64, so the network counts.
#[tokio::test]
async fn addresses_of_one_ipv6_network_share_a_limit() {
    let service = service_with(small()).await;
    let from = |address: &str| service.anonymous().from(address.parse().expect("an address"));
    assert_eq!(rate_limit(&from("2001:db8::1").get("/meta").await.expect(200))[1], 1);
    assert_eq!(rate_limit(&from("2001:db8::2").get("/meta").await.expect(200))[1], 2);
    from("2001:db8:0:0:ffff:ffff:ffff:ffff").get("/meta").await.expect(403);
    assert_eq!(rate_limit(&from("2001:db8:0:1::1").get("/meta").await.expect(200))[1], 1);
    // An IPv4 address counts by itself, in either notation.
    assert_eq!(rate_limit(&from("::ffff:192.0.2.1").get("/meta").await.expect(200))[1], 1);
    assert_eq!(rate_limit(&from("192.0.2.1").get("/meta").await.expect(200))[1], 2);
    assert_eq!(rate_limit(&from("::ffff:192.0.2.2").get("/meta").await.expect(200))[1], 1);
}

/// Many addresses neither slow requests down nor make the table exceed its limit, and flooding the table does not give
/// anyone over the limit a new quota.
#[test]
fn rate_limit_cost_is_constant_with_many_addresses() {
    let limiter = RateLimiter::new(RateLimits { anonymous_requests_per_hour: 2, ..RateLimits::default() });
    let address = |number: u32| LimitKey::Address(IpAddr::from(0x0a00_0000_u32.wrapping_add(number).to_be_bytes()));
    let limited = LimitKey::Address(IpAddr::from([192, 0, 2, 1]));
    for _ in 0..3 {
        let _ = limiter.count_here(limited, START);
    }
    let cost = |from: u32| {
        let started = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        for number in from..from + 10_000 {
            let _ = limiter.count_here(address(number), START);
        }
        let ended = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        (ended.tv_sec - started.tv_sec) * 1_000_000_000 + ended.tv_nsec - started.tv_nsec
    };
    let few = cost(0);
    cost_until_full(&limiter, &address);
    let many = cost(900_000);
    assert!(many < 10 * few, "a request costs {} times as much", many / few);
    assert!(limiter.count_here(limited, START).1.is_err(), "a flood lets nobody back in");
    let after = Timestamp(START.0 + 3600);
    assert!(limiter.count_here(limited, after).1.is_ok());
}

fn cost_until_full(limiter: &RateLimiter, address: &dyn Fn(u32) -> LimitKey) {
    for number in 100_000..250_000 {
        let _ = limiter.count_here(address(number), START);
    }
}

#[tokio::test]
async fn disabled_rate_limit_reports_full_quota() {
    let service = service().await;
    for _ in 0..3 {
        assert_eq!(rate_limit(&service.anonymous().get("/meta").await.expect(200))[..3], [60, 0, 60]);
        assert_eq!(
            rate_limit(&service.with_token("ghp_monamona").get("/user").await.expect(200))[..3],
            [5000, 0, 5000]
        );
    }
}

#[test]
fn each_created_resource_counts_as_content() {
    let limiter = RateLimiter::new(RateLimits { content_per_minute: 4, ..RateLimits::default() });
    let (mona, hubot) = (AccountId(1), AccountId(2));
    let at = |seconds| Timestamp(START.0 + seconds);
    let admit = |actor, pieces: &[&str], seconds| {
        at_once(limiter.admit_contents(actor, "pulls/create-review", pieces, at(seconds))).is_ok()
    };
    assert!(admit(mona, &["a", "b", "c"], 0));
    assert!(!admit(mona, &["d", "e"], 1), "five are more than four");
    assert!(admit(mona, &["d"], 2), "rejected content does not count");
    assert!(!admit(mona, &["f"], 3));
    assert!(admit(mona, &["f"], 60));
    // Waiting would never admit these, so they are admitted if nothing else came before.
    assert!(admit(hubot, &["a", "b", "c", "d", "e"], 0));
    assert!(!admit(hubot, &["f"], 1));
}

#[tokio::test]
async fn each_comment_of_review_counts_as_content() {
    let state =
        mona().repo("mona/hello", &two_branches("")).pull("mona/hello", "mona", "title: Two, head: next, base: main");
    let limits = RateLimits { content_per_minute: 5, ..RateLimits::default() };
    let service =
        Service::with_settings(&state.to_string(), Settings { rate_limits: limits, ..Settings::default() }).await;
    let mona = service.with_token("ghp_monamona");
    let review = |count: usize| {
        let comments: Vec<_> = (0..count).map(|n| json!({ "path": "a", "line": 1, "body": format!("{n}") })).collect();
        json!({ "event": "COMMENT", "body": format!("{count}"), "comments": comments })
    };
    let path = "/repos/mona/hello/pulls/1/reviews";
    mona.post(path, review(3)).await.expect(200);
    let rejected = mona.post(path, review(1)).await.expect(403);
    assert_eq!(rejected.header("retry-after"), Some("60"), "{rejected}");
    assert_eq!(mona.get(path).await.expect(200).json().as_array().map(Vec::len), Some(1));
    mona.post(path, json!({ "event": "COMMENT", "body": "short" })).await.expect(200);
    service.advance(60);
    mona.post(path, review(1)).await.expect(200);
}

#[test]
fn content_is_limited_by_minute_and_by_hour() {
    let limits = RateLimits { content_per_minute: 2, content_per_hour: 3, ..RateLimits::default() };
    let limiter = RateLimiter::new(limits);
    let (mona, hubot) = (AccountId(1), AccountId(2));
    let at = |seconds: i64| Timestamp(START.0 + seconds);
    let wait = |result: Result<(), Error>| match result {
        Ok(()) => 0,
        Err(Error::SecondaryLimited { retry_after_seconds }) => retry_after_seconds,
        Err(other) => panic!("{other}"),
    };
    assert_eq!(wait(at_once(limiter.admit_content(mona, "pulls/create-review-comment", "a", at(0)))), 0);
    assert_eq!(wait(at_once(limiter.admit_content(mona, "pulls/create-reply-for-review-comment", "b", at(10)))), 0);
    assert_eq!(wait(at_once(limiter.admit_content(mona, "pulls/create-review-comment", "c", at(20)))), 40);
    assert_eq!(wait(at_once(limiter.admit_content(hubot, "pulls/create-review-comment", "c", at(20)))), 0);
    // Rejected content does not count against the hour.
    assert_eq!(wait(at_once(limiter.admit_content(mona, "pulls/create-review-comment", "d", at(60)))), 0);
    assert_eq!(wait(at_once(limiter.admit_content(mona, "pulls/create-review-comment", "e", at(120)))), 3480);
    assert_eq!(wait(at_once(limiter.admit_content(mona, "pulls/create-review-comment", "f", at(3600)))), 0);
}

#[test]
fn repeated_content_is_rejected_as_spam() {
    let limiter = RateLimiter::new(RateLimits { same_content_per_minute: 2, ..RateLimits::default() });
    let send = |operation, words: &str, seconds: i64| {
        at_once(limiter.admit_content(AccountId(1), operation, words, Timestamp(START.0 + seconds)))
    };
    let (create, reply) = ("pulls/create-review-comment", "pulls/create-reply-for-review-comment");
    assert!(send(create, "buy", 0).is_ok() && send(create, "buy", 1).is_ok());
    let rejected = send(create, "buy", 2).expect_err("the third time");
    assert!(matches!(&rejected, Error::Unprocessable(_)) && rejected.to_string().contains("spammed"), "{rejected}");
    assert!(send(create, "other", 2).is_ok(), "other words");
    assert!(send(reply, "buy", 2).is_ok(), "another operation");
    assert!(send(create, "buy", 60).is_ok(), "a minute later");
}

#[test]
fn disabled_limits_reject_nothing() {
    let limiter = RateLimiter::new(RateLimits {
        enforced: false,
        content_per_minute: 0,
        same_content_per_minute: 0,
        ..RateLimits::default()
    });
    for _ in 0..100 {
        assert!(at_once(limiter.admit_content(AccountId(1), "pulls/create-review-comment", "same", START)).is_ok());
    }
}
