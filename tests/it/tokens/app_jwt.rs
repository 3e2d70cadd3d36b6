//! JSON web tokens, valid and invalid.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

use super::{HELPER_ON_OCTO, helper, rival_key, service};
use crate::support::{START, Service, jwt};

const NOT_DECODABLE: &str = "A JSON web token could not be decoded";
const ISSUED_AT: &str =
    "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
const EXPIRED: &str = "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
const TOO_FAR: &str = "'Expiration time' claim ('exp') is too far in the future";
const NOT_BEFORE: &str = "'Not before' claim ('nbf') must be a numeric value representing a time that has passed";
const BAD_CREDENTIALS: &str = "Bad credentials";

/// The response to an app with this token.
async fn reported(service: &Service, token: &str) -> (u16, String) {
    let response = service.with_token(token).post(HELPER_ON_OCTO, json!({})).await;
    if response.status == 401 && token.starts_with("eyJ") {
        assert_eq!(response.header("x-ratelimit-limit"), None, "an app has no rate limit");
        assert_eq!(response.json()["documentation_url"], "http://plinth.test/docs");
    }
    (response.status, response.json()["message"].as_str().unwrap_or_default().to_owned())
}

/// Claims of which one is changed.
fn with(name: &str, value: impl Into<Value>) -> Value {
    let mut claims = jwt::claims("Iv23helper");
    claims[name] = value.into();
    claims
}

fn without(name: &str) -> Value {
    let mut claims = jwt::claims("Iv23helper");
    claims.as_object_mut().expect("claims are an object").remove(name);
    claims
}

#[tokio::test]
async fn jwt_issuer_is_app_id_or_client_id() {
    let service = service().await;
    for issuer in [json!("Iv23helper"), json!(1), json!("1")] {
        let token = jwt::sign(service.app_key(), &jwt::claims(issuer.clone()));
        assert_eq!(reported(&service, &token).await.0, 201, "{issuer}");
    }
    for issuer in [
        json!("Iv23nobody"),
        json!(99),
        json!(null),
        json!(["Iv23helper"]),
        json!(1.5),
        json!(-1),
        json!("helper"),
        json!("a\u{0}b"),
        json!(""),
        // The id is compared as text.
        json!("01"),
        json!("+1"),
        json!(" 1"),
        json!("1 "),
        json!("1.0"),
        json!(1.0),
        json!("IV23HELPER"),
        json!(" Iv23helper"),
    ] {
        let token = jwt::sign(service.app_key(), &jwt::claims(issuer.clone()));
        assert_eq!(reported(&service, &token).await, (401, NOT_DECODABLE.into()), "{issuer}");
    }
}

/// The token chooses neither the algorithm nor the key.
#[tokio::test]
async fn jwt_requires_app_key_and_rs256() {
    let service = service().await;
    let claims = jwt::claims("Iv23helper");
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let good = jwt::sign(service.app_key(), &claims);
    let signature = good.rsplit_once('.').expect("three parts").1;
    let public = plinth_core::apps::public_key_of(service.app_key()).expect("a good key");
    let public_pem = format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", STANDARD.encode(&public));
    let hmac = |secret: &[u8]| {
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &EncodingKey::from_secret(secret))
            .expect("signed")
    };
    let own_key = json!({ "alg": "RS256", "typ": "JWT", "kid": "../../rival", "jku": "http://evil.test/keys", "jwk": { "kty": "RSA", "n": "AQAB", "e": "AQAB" } });
    let other_key = {
        let mut header = Header::new(Algorithm::RS256);
        header.kid = Some("rival".into());
        let key = EncodingKey::from_rsa_pem(rival_key().as_bytes()).expect("a good key");
        jsonwebtoken::encode(&header, &claims, &key).expect("signed")
    };
    for (name, token) in [
        ("none", format!("{}.{}.", part(&json!({ "alg": "none" })), part(&claims))),
        ("None", format!("{}.{}.{signature}", part(&json!({ "alg": "None" })), part(&claims))),
        ("HS256 with the public key in PEM", hmac(public_pem.as_bytes())),
        ("HS256 with the public key", hmac(&public)),
        ("RS384", jwt::sign_with(Algorithm::RS384, service.app_key(), &claims)),
        ("RS512", jwt::sign_with(Algorithm::RS512, service.app_key(), &claims)),
        ("PS256", jwt::sign_with(Algorithm::PS256, service.app_key(), &claims)),
        ("another app's key", jwt::sign(rival_key(), &claims)),
        ("another app's key, named", other_key),
        ("a key in the header", format!("{}.{}.{signature}", part(&own_key), part(&claims))),
        ("changed claims", format!("{}.{}.{signature}", good.split_once('.').expect("parts").0, part(&jwt::claims(1)))),
        ("no signature", format!("{}.", good.rsplit_once('.').expect("three parts").0)),
        ("claims that are no object", format!("{}.{}.{signature}", part(&json!({ "alg": "RS256" })), part(&json!(1)))),
        ("three empty parts", "eyJ..".to_owned()),
        ("rubbish", "eyJhbGciOiJSUzI1NiJ9.%%%.%%%".to_owned()),
    ] {
        assert_eq!(reported(&service, &token).await, (401, NOT_DECODABLE.into()), "{name}");
    }
    assert_eq!(reported(&service, &good).await.0, 201);
}

#[tokio::test]
async fn jwt_times_must_be_near_numbers() {
    let service = service().await;
    let now = START.0;
    for (claims, expected) in [
        (with("exp", now + 600), (201, "")),
        (with("exp", now + 601), (401, TOO_FAR)),
        (with("exp", i64::MAX), (401, TOO_FAR)),
        (with("exp", 1e300), (401, TOO_FAR)),
        (with("exp", now + 1), (201, "")),
        (with("exp", now), (401, EXPIRED)),
        (with("exp", now - 3600), (401, EXPIRED)),
        (with("exp", json!(now as f64 + 60.5)), (201, "")),
        (with("exp", (now + 60).to_string()), (401, EXPIRED)),
        (with("exp", json!(null)), (401, EXPIRED)),
        (with("exp", json!([now + 60])), (401, EXPIRED)),
        (with("exp", true), (401, EXPIRED)),
        (without("exp"), (401, EXPIRED)),
        (with("iat", now + 60), (201, "")),
        (with("iat", now + 61), (401, ISSUED_AT)),
        (with("iat", now - 86_400), (201, "")),
        (with("iat", now.to_string()), (401, ISSUED_AT)),
        (with("iat", json!(now as f64 - 0.5)), (401, ISSUED_AT)),
        (with("iat", json!(null)), (401, ISSUED_AT)),
        (without("iat"), (401, ISSUED_AT)),
        (with("nbf", now - 60), (201, "")),
        (with("nbf", now + 60), (201, "")),
        (with("nbf", json!(now as f64 - 0.5)), (201, "")),
        (with("nbf", now + 61), (401, NOT_BEFORE)),
        (with("nbf", "never"), (401, NOT_BEFORE)),
        (with("nbf", json!(null)), (401, NOT_BEFORE)),
        (with("aud", "someone else"), (201, "")),
    ] {
        let (status, message) = reported(&service, &jwt::sign(service.app_key(), &claims)).await;
        assert_eq!((status, message.as_str()), expected, "{claims}");
    }
}

/// A critical extension must be understood, and the service supports none.
#[tokio::test]
async fn jwt_with_critical_extensions_is_rejected() {
    let service = service().await;
    for (critical, status) in [
        (None, 201),
        (Some(json!(["exp"])), 401),
        (Some(json!(["b64"])), 401),
        (Some(json!(["http://example.com/unknown"])), 401),
        (Some(json!([])), 401),
        (Some(json!(null)), 401),
        (Some(json!("exp")), 401),
    ] {
        let mut header = json!({ "alg": "RS256", "typ": "JWT", "b64": true, "x-note": "not critical" });
        if let Some(critical) = &critical {
            header["crit"] = critical.clone();
        }
        let token = jwt::sign_with_header(service.app_key(), &header, &jwt::claims("Iv23helper"));
        assert_eq!(reported(&service, &token).await.0, status, "{critical:?}");
    }
}

#[tokio::test]
async fn jwt_expires_by_service_clock() {
    let service = service().await;
    let token = jwt::sign(service.app_key(), &with("exp", START.0 + 30));
    assert_eq!(reported(&service, &token).await.0, 201);
    service.advance(30);
    assert_eq!(reported(&service, &token).await, (401, EXPIRED.into()));
    let response = service.anonymous().get("/meta").await;
    assert_eq!(response.status, 200);
}

#[tokio::test]
async fn jwt_is_accepted_only_as_bearer_for_app_operations() {
    let service = service().await;
    let token = jwt::sign(service.app_key(), &jwt::claims("Iv23helper"));
    let basic = |text: String| format!("Basic {}", STANDARD.encode(text));
    for scheme in
        [format!("token {token}"), format!("Token {token}"), basic(format!("x:{token}")), basic(format!("{token}:"))]
    {
        let client = service.anonymous().header("authorization", &scheme);
        assert_eq!(client.post(HELPER_ON_OCTO, json!({})).await.expect(401).message(), NOT_DECODABLE);
        assert_eq!(client.get("/meta").await.expect(401).message(), BAD_CREDENTIALS);
    }
    service
        .anonymous()
        .header("authorization", &format!("bearer {token}"))
        .post(HELPER_ON_OCTO, json!({}))
        .await
        .expect(201);
    for path in ["/user", "/meta", "/repos/octo-org/one", "/repos/other-org/theirs"] {
        let response = helper(&service).get(path).await.expect(401);
        assert_eq!(response.message(), BAD_CREDENTIALS, "{path}");
        assert_eq!(response.header("x-ratelimit-limit"), None, "{path}");
    }
    for other in ["ghp_monamona", "ghp_unknown", "not-a-token"] {
        assert_eq!(reported(&service, other).await.1, NOT_DECODABLE, "{other}");
    }
    assert_eq!(service.anonymous().post(HELPER_ON_OCTO, json!({})).await.expect(401).message(), NOT_DECODABLE);
}
