//! Signing in with a code that is approved elsewhere.

use serde_json::{Value, json};

use super::browser::{Browser, attribute_after};
use crate::support::Service;
use crate::support::fixtures::mona;

const PAGE: &str = "/-/sign-in/code";
const ALL: [(&str, &str); 3] = [("start", "1"), ("scope-repo", "1"), ("scope-notifications", "1")];

async fn service() -> Service {
    let state = mona().repo("mona/secret", "private: true");
    let service = Service::with(&state.to_string()).await;
    let token = "tokens: [{ kind: classic, user: mona, scopes: [repo, notifications], token: ghp_approver }]";
    service.apply(token).await;
    service
}

/// Starts signing in and returns the code that the page shows.
async fn start(browser: &Browser<'_>, scopes: &[(&str, &str)]) -> String {
    browser.get("/-/sign-in").await.expect(200);
    let started = browser.submit("/-/sign-in", PAGE, scopes).await;
    assert_eq!((started.status, started.header("location")), (303, Some("/-/sign-in/code?to=%2F")), "{started}");
    let shown = browser.page(PAGE).await;
    let (_, rest) = shown.split_once("class=\"device-code\"><code>").expect("a code is shown");
    rest[.."BCDF-GHJK".len()].to_owned()
}

async fn preview(service: &Service, code: &str) -> Value {
    let path = format!("/login/device/approve?user_code={code}");
    service.with_token("ghp_approver").get(&path).await.expect(200).json()
}

async fn decide(service: &Service, code: &str, decision: &str) {
    let confirmation = preview(service, code).await["confirmation"].clone();
    let body = json!({ "user_code": code, "decision": decision, "confirmation": confirmation });
    service.with_token("ghp_approver").post("/login/device/approve", body).await.expect(204);
}

#[tokio::test]
async fn approved_code_signs_the_browser_in_once_with_the_scopes_that_were_asked() {
    let service = service().await;
    let browser = Browser::new(&service);
    let code = start(&browser, &ALL).await;
    let shown = preview(&service, &code).await;
    assert_eq!((&shown["app"], &shown["scopes"]), (&Value::Null, &json!("notifications, repo")));
    let early = browser.submit(PAGE, PAGE, &[("finish", "1")]).await;
    assert_eq!(early.header("location"), Some("/-/sign-in/code?to=%2F&waiting=1"));
    assert!(browser.page("/-/sign-in/code?waiting=1").await.contains("Nobody has approved this code yet."));
    assert!(!browser.cookies().contains_key("plinth_session"));

    decide(&service, &code, "approve").await;
    let page = browser.page(PAGE).await;
    assert_eq!(attribute_after(&page, "data-approval=\""), "given");
    let stolen = Browser::new(&service);
    browser.cookies().iter().for_each(|(name, value)| stolen.set_cookie(name, value));
    let finished = browser.submit(PAGE, PAGE, &[("finish", "1"), ("to", "/mona/secret")]).await;
    assert_eq!(finished.header("location"), Some("/mona/secret"), "{finished}");
    assert!(!browser.cookies().contains_key("plinth_code"), "the code is used up");
    assert!(browser.page("/mona/secret").await.contains("Private"));
    let again = stolen.submit("/-/sign-in", PAGE, &[("finish", "1")]).await;
    assert_eq!(again.status, 303);
    assert!(!stolen.cookies().contains_key("plinth_session"), "a code is good for one session");

    service.advance(31 * 24 * 3600);
    browser.get("/mona/secret").await.expect(404);
}

#[tokio::test]
async fn denied_and_expired_codes_sign_nobody_in() {
    let service = service().await;
    let (denied, expired) = (Browser::new(&service), Browser::new(&service));
    let code = start(&denied, &ALL).await;
    let late = start(&expired, &ALL).await;
    decide(&service, &code, "deny").await;
    assert!(denied.page(PAGE).await.contains("The code was denied."));
    decide(&service, &late, "approve").await;
    service.advance(15 * 60);
    assert!(expired.page(PAGE).await.contains("The code has expired."));
    for browser in [&denied, &expired] {
        browser.submit("/-/sign-in", PAGE, &[("finish", "1")]).await;
        assert!(!browser.cookies().contains_key("plinth_session"));
    }
}

#[tokio::test]
async fn token_approves_no_scope_that_it_lacks_and_the_operator_sees_the_session() {
    let service = service().await;
    let browser = Browser::new(&service);
    let code = start(&browser, &[("start", "1"), ("scope-repo", "1"), ("scope-read:org", "1")]).await;
    assert_eq!(preview(&service, &code).await["missing_scopes"], json!(["read:org"]));
    let confirmation = preview(&service, &code).await["confirmation"].clone();
    let body = json!({ "user_code": code, "decision": "approve", "confirmation": confirmation });
    service.with_token("ghp_approver").post("/login/device/approve", body).await.expect(403);
    let shown =
        Browser::signed_in(&service, "ghp_approver").await.page(&format!("/login/device?user_code={code}")).await;
    assert!(shown.contains("A browser wants to sign in") && shown.contains("Your token lacks read:org"), "{shown}");
}

#[tokio::test]
async fn code_of_a_browser_is_no_device_code_of_an_app_and_the_reverse() {
    let service = service().await;
    service
        .apply("apps: [{ slug: helper, owner: mona, client_id: Iv23helper, permissions: { contents: read } }]")
        .await;
    let browser = Browser::new(&service);
    let code = start(&browser, &ALL).await;
    decide(&service, &code, "approve").await;
    let body = json!({
        "client_id": "Iv23helper",
        "device_code": browser.cookies()["plinth_code"],
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
    });
    let device = service.anonymous().header("accept", "application/json");
    assert_eq!(
        device.post("/login/oauth/access_token", body).await.expect(200).json()["error"],
        "incorrect_device_code"
    );
    let begun = device.post("/login/device/code", json!({ "client_id": "Iv23helper" })).await.expect(200).json();
    let other = Browser::new(&service);
    other.get("/-/sign-in").await.expect(200);
    other.set_cookie("plinth_code", begun["device_code"].as_str().expect("a code"));
    decide(&service, begun["user_code"].as_str().expect("a code"), "approve").await;
    other.submit("/-/sign-in", PAGE, &[("finish", "1")]).await;
    assert!(!other.cookies().contains_key("plinth_session"));
}

#[tokio::test]
async fn another_site_can_neither_start_nor_finish() {
    let service = service().await;
    let browser = Browser::new(&service);
    let code = start(&browser, &ALL).await;
    decide(&service, &code, "approve").await;
    for body in ["start=1&scope-repo=1", "finish=1", "finish=1&form_token=0"] {
        let client = browser.client().header("content-type", "application/x-www-form-urlencoded");
        client.send(http::Method::POST, PAGE, body).await.expect(403);
    }
}
