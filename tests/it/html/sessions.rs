//! Signing in: the cookie, what it is good for, and when it ends.

use http::Method;

use super::browser::Browser;
use crate::support::Service;
use crate::support::fixtures::mona;

fn state() -> String {
    mona().repo("mona/secret", "private: true").repo("mona/open", "").to_string()
}

#[tokio::test]
async fn session_shows_what_its_token_may_see() {
    let service = Service::with(&state()).await;
    let browser = Browser::signed_in(&service, "ghp_monamona").await;
    assert!(browser.page("/").await.contains("mona/secret"));
    assert!(browser.page("/mona/secret").await.contains("Private"));
    Browser::new(&service).get("/mona/secret").await.expect(404);
}

#[tokio::test]
async fn cookie_is_http_only_lax_secure_and_no_token() {
    let service = Service::with(&state()).await;
    let browser = Browser::new(&service);
    browser.get("/-/sign-in").await.expect(200);
    let response = browser.submit("/-/sign-in", "/-/sign-in", &[("token", "ghp_monamona"), ("to", "/mona")]).await;
    assert_eq!(response.header("location"), Some("/mona"));
    let cookie = response.header("set-cookie").expect("a session").to_owned();
    assert!(cookie.starts_with("plinth_session=") && cookie.contains("HttpOnly; SameSite=Lax"), "{cookie}");
    assert!(!cookie.contains("ghp_") && !cookie.contains("Secure"), "plain HTTP on loopback: {cookie}");
    let address = "203.0.113.9".parse().expect("an address");
    let other_machine = service.anonymous().header("host", "127.0.0.1").from(address);
    let local_proxy = service.anonymous().header("host", "plinth.test");
    for client in [other_machine, local_proxy] {
        let page = client.header("accept", "text/html").get("/-/sign-in").await.expect(200);
        let cookie = page.header("set-cookie").expect("a cookie");
        assert!(cookie.starts_with("__Host-") && cookie.contains("; Secure"), "{cookie}");
    }
}

#[tokio::test]
async fn session_never_authenticates_the_api() {
    let service = Service::with(&state()).await;
    let browser = Browser::signed_in(&service, "ghp_monamona").await;
    let cookie = format!("plinth_session={}", browser.cookies()["plinth_session"]);
    let api = service.anonymous().header("cookie", &cookie);
    api.get("/user").await.expect(401);
    api.get("/repos/mona/secret").await.expect(404);
    let as_token = service.with_token(&browser.cookies()["plinth_session"]);
    as_token.get("/user").await.expect(401);
}

#[tokio::test]
async fn session_ends_with_its_token_with_its_time_and_by_signing_out() {
    let service = Service::with(&state()).await;
    service.apply("tokens: [{ kind: classic, user: mona, scopes: [repo], token: ghp_secondsecond }]").await;
    let (one, two) =
        (Browser::signed_in(&service, "ghp_monamona").await, Browser::signed_in(&service, "ghp_secondsecond").await);
    let three = Browser::signed_in(&service, "ghp_secondsecond").await;
    service.revoke("ghp_monamona").await;
    one.get("/mona/secret").await.expect(404);
    two.get("/mona/secret").await.expect(200);
    let kept = two.cookies()["plinth_session"].clone();
    assert_eq!(two.submit("/", "/-/sign-out", &[]).await.status, 303);
    assert!(!two.cookies().contains_key("plinth_session"));
    two.set_cookie("plinth_session", &kept);
    two.get("/mona/secret").await.expect(404);
    service.advance(31 * 24 * 3600);
    three.get("/mona/secret").await.expect(404);
    plinth_core::expiry::once(&service.app).await.expect("expiry runs");
    let mut db = service.store.read().await.expect("the store can be read");
    let (left,) = db.one::<(i64,)>("select count(*) from web_session", &[]).await.expect("the table exists");
    assert_eq!(left, 0, "ended sessions are removed");
}

#[tokio::test]
async fn sign_in_rejects_other_tokens_and_other_sites() {
    let service = Service::with(&state()).await;
    let browser = Browser::new(&service);
    browser.get("/-/sign-in").await.expect(200);
    for token in ["ghp_wrong", "", "ghs_installation"] {
        let rejected = browser.submit("/-/sign-in", "/-/sign-in", &[("token", token)]).await;
        assert_eq!(rejected.status, 401, "{token}");
        assert!(!browser.cookies().contains_key("plinth_session"));
    }
    let elsewhere =
        browser.submit("/-/sign-in", "/-/sign-in", &[("token", "ghp_monamona"), ("to", "//evil.example")]).await;
    assert_eq!(elsewhere.header("location"), Some("/"));
    let forged = "token=ghp_monamona&form_token=0";
    browser.client().send(Method::POST, "/-/sign-in", forged).await.expect(403);
}

#[tokio::test]
async fn form_without_its_token_or_from_another_site_changes_nothing() {
    let service = Service::with(&state()).await;
    let browser = Browser::signed_in(&service, "ghp_monamona").await;
    let other = Browser::signed_in(&service, "ghp_monamona").await;
    let foreign =
        super::browser::attribute_after(&other.page("/mona/open/issues/new").await, "name=\"form_token\" value=\"");
    for body in ["title=x".to_owned(), "title=x&form_token=0".to_owned(), format!("title=x&form_token={foreign}")] {
        browser.client().send(Method::POST, "/mona/open/issues", body).await.expect(403);
    }
    let own =
        super::browser::attribute_after(&browser.page("/mona/open/issues/new").await, "name=\"form_token\" value=\"");
    let body = format!("title=x&form_token={own}");
    let cross_site = browser.client().header("origin", "http://evil.example");
    cross_site.send(Method::POST, "/mona/open/issues", body.clone()).await.expect(403);
    let api = service.with_token("ghp_monamona");
    assert_eq!(api.get("/repos/mona/open/issues").await.json(), serde_json::json!([]));
    browser.client().send(Method::POST, "/mona/open/issues", body).await.expect(303);
    assert_eq!(api.get("/repos/mona/open/issues").await.json()[0]["title"], "x");
}
