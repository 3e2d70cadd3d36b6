//! The OAuth device flow.

use std::sync::LazyLock;

use http::Method;
use serde_json::{Value, json};

use crate::support::fixtures::octo_org;
use crate::support::{Response, Service};
use plinth_core::expiry;

static STATE: LazyLock<String> = LazyLock::new(|| {
    octo_org(&["mona", "hubot"])
        .repo("octo-org/secret", "private: true")
        .app("helper", "octo-org", "contents: read", "client_id: Iv23helper, client_secret: helper-secret")
        .entry("oauth_apps", "slug: gh, owner: octo-org, client_id: 178c6fc778ccc68e1d6a")
        .installation("helper", "octo-org", "all")
        .classic("mona", "repo, read:org, gist", "ghp_mona0000")
        .classic("mona", "public_repo", "ghp_narrow00")
        .classic("mona", "repo, delete_repo, admin:org", "ghp_wide0000")
        .classic("hubot", "repo", "ghp_hubot000")
        .app_user("mona", "helper", "ghu_mona0000")
        .to_string()
});

const GRANT_TYPE: &str = "urn:ietf:params:oauth:grant-type:device_code";
const APPROVE: &str = "/login/device/approve";

async fn begin(service: &Service, client_id: &str, scope: &str) -> Value {
    let body = json!({ "client_id": client_id, "scope": scope });
    let device = service.anonymous().header("accept", "application/json");
    device.post("/login/device/code", body).await.expect(200).json()
}

async fn poll(service: &Service, client_id: &str, device_code: &Value) -> Response {
    let body = json!({ "client_id": client_id, "device_code": device_code, "grant_type": GRANT_TYPE });
    let device = service.anonymous().header("accept", "application/json");
    device.post("/login/oauth/access_token", body).await.expect(200)
}

async fn error(service: &Service, client_id: &str, device_code: &Value) -> String {
    let response = poll(service, client_id, device_code).await.json();
    response["error"].as_str().unwrap_or_else(|| panic!("no error in {response}")).to_owned()
}

/// What a user sees before approving a device.
async fn look(service: &Service, token: &str, user_code: &Value) -> Response {
    let code = user_code.as_str().expect("a code");
    service.with_token(token).get(&format!("{APPROVE}?user_code={code}")).await
}

/// Requests the confirmation, then approves with it.
async fn approve(service: &Service, token: &str, user_code: &Value) -> Response {
    let seen = look(service, token, user_code).await.expect(200).json();
    let approval = json!({ "user_code": user_code, "confirmation": seen["confirmation"] });
    service.with_token(token).post(APPROVE, approval).await
}

#[tokio::test]
async fn device_flow_returns_user_token_of_github_app() {
    let service = Service::with(&STATE).await;
    let begun = begin(&service, "Iv23helper", "repo").await;
    assert_eq!(begun["verification_uri"], "http://plinth.test/login/device");
    assert_eq!((begun["expires_in"].as_i64(), begun["interval"].as_i64()), (Some(900), Some(5)));
    let user_code = begun["user_code"].as_str().expect("a code").to_owned();
    assert_eq!((user_code.len(), &user_code[4..5]), (9, "-"));

    let pending = poll(&service, "Iv23helper", &begun["device_code"]).await;
    assert_eq!(
        String::from_utf8_lossy(&pending.body),
        r#"{"error":"authorization_pending","error_description":"The authorization request is still pending.","error_uri":"http://plinth.test/docs#oauth/create-access-token"}"#
    );
    assert_eq!(pending.header("cache-control"), Some("no-store"));

    let mona = service.with_token("ghp_mona0000");
    approve(&service, "ghp_mona0000", &json!(user_code.to_lowercase().replace('-', ""))).await.expect(204);
    service.advance(5);
    let granted = poll(&service, "Iv23helper", &begun["device_code"]).await.json();
    assert_eq!((granted["token_type"].as_str(), granted["scope"].as_str()), (Some("bearer"), Some("")));
    let token = granted["access_token"].as_str().expect("a token").to_owned();
    assert!(token.starts_with("ghu_"), "{token}");
    let client = service.with_token(&token);
    assert_eq!(client.get("/user").await.expect(200).json()["login"], "mona");
    assert_eq!(client.get("/user/installations").await.expect(200).json()["total_count"], 1);

    // A device code can be used once.
    service.advance(60);
    assert_eq!(error(&service, "Iv23helper", &begun["device_code"]).await, "incorrect_device_code");
    mona.post(APPROVE, json!({ "user_code": user_code })).await.expect(404);
}

#[tokio::test]
async fn device_flow_returns_scoped_token_of_oauth_app() {
    let service = Service::with(&STATE).await;
    let begun = begin(&service, "178c6fc778ccc68e1d6a", "repo read:org,gist").await;
    approve(&service, "ghp_mona0000", &begun["user_code"]).await.expect(204);
    let granted = poll(&service, "178c6fc778ccc68e1d6a", &begun["device_code"]).await.json();
    assert_eq!(granted["scope"], "gist,read:org,repo");
    let token = granted["access_token"].as_str().expect("a token").to_owned();
    assert!(token.starts_with("gho_"), "{token}");
    let response = service.with_token(&token).get("/repos/octo-org/secret").await.expect(200);
    assert_eq!(response.header("x-oauth-scopes"), Some("gist, read:org, repo"));
}

/// Form encoding is the default of requests and responses; `gh` uses it.
#[tokio::test]
async fn device_flow_accepts_and_returns_form_encoding() {
    let service = Service::with(&STATE).await;
    let device = service.anonymous().header("content-type", "application/x-www-form-urlencoded");
    let post = async |path: &str, body: &str| device.send(Method::POST, path, body.to_owned()).await.expect(200);
    let begun = post("/login/device/code", "client_id=178c6fc778ccc68e1d6a&scope=repo%20gist").await;
    assert_eq!(begun.header("content-type"), Some("application/x-www-form-urlencoded; charset=utf-8"));
    let text = String::from_utf8_lossy(&begun.body).into_owned();
    let field = |name: &str| {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).expect("the field is there")
    };
    assert_eq!(field("verification_uri"), "http%3A%2F%2Fplinth.test%2Flogin%2Fdevice");
    assert_eq!((field("expires_in"), field("interval")), ("900".to_owned(), "5".to_owned()));
    let question = format!(
        "client_id=178c6fc778ccc68e1d6a&device_code={}&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code",
        field("device_code")
    );
    let pending = post("/login/oauth/access_token", &question).await;
    assert!(pending.body.starts_with(b"error=authorization_pending&error_description=The+authorization"));
    approve(&service, "ghp_mona0000", &json!(field("user_code"))).await.expect(204);
    service.advance(5);
    let granted = post("/login/oauth/access_token", &question).await;
    let granted = String::from_utf8_lossy(&granted.body).into_owned();
    assert!(granted.starts_with("access_token=gho_") && granted.ends_with("&token_type=bearer&scope=gist%2Crepo"));
}

#[tokio::test]
async fn polling_too_fast_returns_slow_down() {
    let service = Service::with(&STATE).await;
    let begun = begin(&service, "Iv23helper", "").await;
    let code = &begun["device_code"];
    assert_eq!(error(&service, "Iv23helper", code).await, "authorization_pending");
    service.advance(4);
    let slow = poll(&service, "Iv23helper", code).await.json();
    assert_eq!((slow["error"].as_str(), slow["interval"].as_i64()), (Some("slow_down"), Some(10)));
    service.advance(9);
    assert_eq!(error(&service, "Iv23helper", code).await, "slow_down");
    service.advance(15);
    assert_eq!(error(&service, "Iv23helper", code).await, "authorization_pending");
}

#[tokio::test]
async fn device_code_expires_after_fifteen_minutes() {
    let service = Service::with(&STATE).await;
    let begun = begin(&service, "Iv23helper", "").await;
    service.advance(899);
    assert_eq!(error(&service, "Iv23helper", &begun["device_code"]).await, "authorization_pending");
    service.advance(1);
    assert_eq!(error(&service, "Iv23helper", &begun["device_code"]).await, "expired_token");
    let approval = json!({ "user_code": begun["user_code"] });
    service.with_token("ghp_mona0000").post(APPROVE, approval).await.expect(404);
    expiry::once(&service.app).await.expect("maintenance succeeds");
    assert_eq!(error(&service, "Iv23helper", &begun["device_code"]).await, "expired_token");
    service.advance(3600);
    expiry::once(&service.app).await.expect("maintenance succeeds");
    assert_eq!(error(&service, "Iv23helper", &begun["device_code"]).await, "incorrect_device_code");
}

#[tokio::test]
async fn denied_device_code_cannot_be_approved() {
    let service = Service::with(&STATE).await;
    let begun = begin(&service, "Iv23helper", "").await;
    let mona = service.with_token("ghp_mona0000");
    mona.post(APPROVE, json!({ "user_code": begun["user_code"], "decision": "deny" })).await.expect(204);
    mona.post(APPROVE, json!({ "user_code": begun["user_code"] })).await.expect(404);
    assert_eq!(error(&service, "Iv23helper", &begun["device_code"]).await, "access_denied");
}

#[tokio::test]
async fn device_flow_rejects_mismatched_parameters() {
    let service = Service::with(&STATE).await;
    let begun = begin(&service, "Iv23helper", "").await;
    let code = begun["device_code"].clone();
    let device = service.anonymous().header("accept", "application/json");
    let ask = async |path: &str, body: Value| {
        let response = device.post(path, body).await.expect(200).json();
        response["error"].as_str().unwrap_or_default().to_owned()
    };
    let token = "/login/oauth/access_token";
    let with =
        |client: &str, code: &Value| json!({ "client_id": client, "device_code": code, "grant_type": GRANT_TYPE });
    assert_eq!(ask("/login/device/code", json!({ "client_id": "Iv23nobody" })).await, "incorrect_client_credentials");
    assert_eq!(ask("/login/device/code", json!({})).await, "incorrect_client_credentials");
    let broken = json!({ "client_id": "Iv23helper", "scope": "a\r\nb" });
    assert_eq!(ask("/login/device/code", broken).await, "invalid_scope");
    assert_eq!(ask(token, with("Iv23nobody", &code)).await, "incorrect_client_credentials");
    assert_eq!(ask(token, with("Iv23helper", &json!("guess"))).await, "incorrect_device_code");
    assert_eq!(ask(token, with("178c6fc778ccc68e1d6a", &code)).await, "incorrect_device_code");
    assert_eq!(ask(token, json!({ "client_id": "Iv23helper", "device_code": code })).await, "unsupported_grant_type");
    assert_eq!(ask(token, json!({ "client_id": "Iv23helper", "code": "abc" })).await, "bad_verification_code");
    let mut body = with("Iv23helper", &code);
    body["client_secret"] = json!("wrong");
    assert_eq!(ask(token, body.clone()).await, "incorrect_client_credentials");
    body["client_secret"] = json!("helper-secret");
    assert_eq!(ask(token, body).await, "authorization_pending");
}

/// An approval grants no more than the approver's own token has.
#[tokio::test]
async fn approval_rejects_scopes_beyond_callers_token() {
    let service = Service::with(&STATE).await;
    for (client, scope, missing) in
        [("178c6fc778ccc68e1d6a", "admin:org repo", "admin:org, repo"), ("Iv23helper", "", "repo")]
    {
        let begun = begin(&service, client, scope).await;
        let approval = json!({ "user_code": begun["user_code"] });
        let rejected = service.with_token("ghp_narrow00").post(APPROVE, approval.clone()).await.expect(403);
        assert_eq!(rejected.message(), format!("To approve this device the token needs the scopes {missing}"));
        service.with_token("ghu_mona0000").post(APPROVE, approval.clone()).await.expect(403);
        service.anonymous().post(APPROVE, approval).await.expect(401);
        assert_eq!(error(&service, client, &begun["device_code"]).await, "authorization_pending");
    }
}

/// The user sees the app, its rights and the account, and approves exactly these.
#[tokio::test]
async fn approval_requires_confirmation_of_displayed_rights() {
    let service = Service::with(&STATE).await;
    let begun = begin(&service, "Iv23helper", "").await;
    let seen = look(&service, "ghp_mona0000", &begun["user_code"]).await.expect(200);
    assert_eq!(seen.header("cache-control"), Some("no-store"));
    let seen = seen.json();
    assert_eq!(seen["account"]["login"], "mona");
    let app =
        json!({ "slug": "helper", "name": "helper", "owner": "octo-org", "client_id": "Iv23helper", "kind": "app" });
    assert_eq!(seen["app"], app);
    assert_eq!(seen["permissions"], json!({ "contents": "read", "metadata": "read" }));
    assert_eq!((&seen["scopes"], &seen["missing_scopes"]), (&Value::Null, &json!([])));
    assert_eq!((&seen["user_code"], &seen["expires_at"]), (&begun["user_code"], &json!("2026-02-25T06:28:20Z")));
    let hubots = look(&service, "ghp_hubot000", &begun["user_code"]).await.expect(200).json();
    assert_eq!(hubots["account"]["login"], "hubot");
    assert_ne!(hubots["confirmation"], seen["confirmation"]);

    let mona = service.with_token("ghp_mona0000");
    let unseen = mona.post(APPROVE, json!({ "user_code": begun["user_code"] })).await.expect(422);
    assert_eq!(unseen.json()["errors"][0]["field"], "confirmation");
    for confirmation in [&hubots["confirmation"], &json!("0"), &json!("")] {
        let approval = json!({ "user_code": begun["user_code"], "confirmation": confirmation });
        mona.post(APPROVE, approval).await.expect(409);
    }
    // The app now requests more than the user saw.
    service.apply(&STATE.replace("{ contents: read }", "{ contents: read, issue_fields: write }")).await;
    let approval = json!({ "user_code": begun["user_code"], "confirmation": seen["confirmation"] });
    service.with_token("ghp_wide0000").post(APPROVE, approval).await.expect(409);
    assert_eq!(error(&service, "Iv23helper", &begun["device_code"]).await, "authorization_pending");
    approve(&service, "ghp_wide0000", &begun["user_code"]).await.expect(204);

    let gh = begin(&service, "178c6fc778ccc68e1d6a", "repo gist").await;
    let seen = look(&service, "ghp_narrow00", &gh["user_code"]).await.expect(200).json();
    assert_eq!((&seen["app"]["kind"], &seen["scopes"]), (&json!("oauth"), &json!("gist, repo")));
    assert_eq!((&seen["permissions"], &seen["missing_scopes"]), (&Value::Null, &json!(["gist", "repo"])));

    for (token, status) in [("ghu_mona0000", 403), ("ghp_unknown0", 401)] {
        look(&service, token, &gh["user_code"]).await.expect(status);
    }
    service.anonymous().get(&format!("{APPROVE}?user_code=AAAA-AAAA")).await.expect(401);
    look(&service, "ghp_mona0000", &json!("AAAA-AAAA")).await.expect(404);
    mona.get(APPROVE).await.expect(404);
}

/// An app with `administration: write` can delete repositories, so its approval requires the scope for that.
#[tokio::test]
async fn approving_app_with_repository_deletion_requires_delete_scope() {
    let service = Service::with(&STATE.replace("{ contents: read }", "{ administration: write }")).await;
    let begun = begin(&service, "Iv23helper", "").await;
    let seen = look(&service, "ghp_mona0000", &begun["user_code"]).await.expect(200).json();
    assert_eq!(seen["missing_scopes"], json!(["delete_repo"]));
    let rejected = approve(&service, "ghp_mona0000", &begun["user_code"]).await.expect(403);
    assert_eq!(rejected.message(), "To approve this device the token needs the scopes delete_repo");
    approve(&service, "ghp_wide0000", &begun["user_code"]).await.expect(204);
    let service = Service::with(&STATE.replace("{ contents: read }", "{ administration: read }")).await;
    let begun = begin(&service, "Iv23helper", "").await;
    approve(&service, "ghp_mona0000", &begun["user_code"]).await.expect(204);
}

/// Of many devices with one code, one gets the token.
#[tokio::test(flavor = "multi_thread")]
async fn device_code_yields_exactly_one_token() {
    let service = Service::with(&STATE).await;
    let begun = begin(&service, "Iv23helper", "").await;
    approve(&service, "ghp_mona0000", &begun["user_code"]).await.expect(204);
    let code = &begun["device_code"];
    let (a, b, c) = tokio::join!(
        poll(&service, "Iv23helper", code),
        poll(&service, "Iv23helper", code),
        poll(&service, "Iv23helper", code)
    );
    let tokens = [a, b, c].iter().filter(|response| response.json().get("access_token").is_some()).count();
    assert_eq!(tokens, 1);
}
