//! Invalid JSON web tokens.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

use super::app::service_with_key;
use crate::support::{START, Service, jwt};
use plinth_core::apps;

const NOT_DECODABLE: &str = "A JSON web token could not be decoded";
const EXPIRED: &str = "'Expiration time' claim ('exp') must be a numeric value representing the future time at which \
                       the assertion expires";
const TOO_FAR: &str = "'Expiration time' claim ('exp') is too far in the future";
const ISSUED_AT: &str =
    "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";

async fn rejected(service: &Service, token: &str, text: &str) {
    for path in ["/app", "/app/installations/1", "/orgs/octo-org/installation"] {
        let response = service.with_token(token).get(path).await.expect(401);
        assert_eq!(response.message(), text, "{path}");
        if token.starts_with("eyJ") {
            assert_eq!(response.header("x-ratelimit-limit"), None);
        }
    }
    let response = service.with_token(token).post("/app/installations/1/access_tokens", json!({})).await.expect(401);
    assert_eq!(response.message(), text);
}

fn claims_with(name: &str, value: Value) -> Value {
    let mut claims = jwt::claims("Iv23helper");
    claims[name] = value;
    claims
}

#[tokio::test]
async fn jwt_claims_are_validated_with_messages() {
    let (service, pem) = service_with_key().await;
    let now = START.0;
    for (name, value, text) in [
        ("exp", json!(now), EXPIRED),
        ("exp", json!(now - 1), EXPIRED),
        ("exp", json!((now + 500).to_string()), EXPIRED),
        ("exp", json!(null), EXPIRED),
        ("exp", json!([now + 500]), EXPIRED),
        ("exp", json!(now + 601), TOO_FAR),
        ("exp", json!(1e300), TOO_FAR),
        ("iat", json!(now + 61), ISSUED_AT),
        ("iat", json!((now - 30).to_string()), ISSUED_AT),
        ("iat", json!(1.5), ISSUED_AT),
        ("iat", json!(null), ISSUED_AT),
        ("iss", json!("Iv23other"), NOT_DECODABLE),
        ("iss", json!("Iv23nobody"), NOT_DECODABLE),
        ("iss", json!(99), NOT_DECODABLE),
        ("iss", json!(true), NOT_DECODABLE),
        ("iss", json!(null), NOT_DECODABLE),
        ("iss", json!(-1), NOT_DECODABLE),
    ] {
        rejected(&service, &jwt::sign(&pem, &claims_with(name, value)), text).await;
    }
}

#[tokio::test]
async fn jwt_claims_at_their_limits_are_accepted() {
    let (service, pem) = service_with_key().await;
    let now = START.0;
    for claims in [
        claims_with("exp", json!(now + 600)),
        claims_with("exp", json!(now + 1)),
        claims_with("iat", json!(now + 60)),
        claims_with("iat", json!(now - 3600)),
        claims_with("exp", json!(now as f64 + 300.5)),
    ] {
        service.with_token(&jwt::sign(&pem, &claims)).get("/app").await.expect(200);
    }
}

#[tokio::test]
async fn jwt_accepts_only_rs256() {
    let (service, pem) = service_with_key().await;
    let claims = jwt::claims("Iv23helper");
    for algorithm in [Algorithm::RS384, Algorithm::RS512, Algorithm::PS256] {
        rejected(&service, &jwt::sign_with(algorithm, &pem, &claims), NOT_DECODABLE).await;
    }
    // A public key is no secret, so it must not work as a symmetric key.
    let public = apps::public_key_of(&pem).expect("the key is good");
    let secret = EncodingKey::from_secret(&public);
    let symmetric = jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &secret).expect("it can be signed");
    rejected(&service, &symmetric, NOT_DECODABLE).await;
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let unsigned = format!("{}.{}.", part(&json!({ "alg": "none", "typ": "JWT" })), part(&claims));
    rejected(&service, &unsigned, NOT_DECODABLE).await;
    // The signature is valid, but the header names another algorithm.
    let message = format!("{}.{}", part(&json!({ "alg": "RS512", "typ": "JWT" })), part(&claims));
    let key = EncodingKey::from_rsa_pem(pem.as_bytes()).expect("the key is good");
    let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &key, Algorithm::RS256).expect("it can be signed");
    rejected(&service, &format!("{message}.{signature}"), NOT_DECODABLE).await;
    let (head, _) = jwt::sign(&pem, &claims).rsplit_once('.').map(|(a, b)| (a.to_owned(), b.to_owned())).expect("dots");
    rejected(&service, &format!("{head}.AAAA"), NOT_DECODABLE).await;
}

/// A key in the token's own header proves nothing.
#[tokio::test]
async fn jwt_signed_with_other_key_is_rejected() {
    let (service, _) = service_with_key().await;
    let foreign = apps::generate_key();
    rejected(&service, &jwt::sign(&foreign.private_pem, &jwt::claims("Iv23helper")), NOT_DECODABLE).await;
    let mut header = Header::new(Algorithm::RS256);
    header.kid = Some("1".into());
    header.jku = Some("http://127.0.0.1/keys".into());
    let key = EncodingKey::from_rsa_pem(foreign.private_pem.as_bytes()).expect("the key is good");
    let token = jsonwebtoken::encode(&header, &jwt::claims("Iv23helper"), &key).expect("it can be signed");
    rejected(&service, &token, NOT_DECODABLE).await;
}

#[tokio::test]
async fn jwt_is_accepted_only_as_bearer() {
    let (service, pem) = service_with_key().await;
    let token = jwt::sign(&pem, &jwt::claims("Iv23helper"));
    let with = |value: String| service.anonymous().header("authorization", &value);
    with(format!("bearer {token}")).get("/app").await.expect(200);
    let response = with(format!("token {token}")).get("/app").await.expect(401);
    assert_eq!(response.message(), NOT_DECODABLE);
    let response = with(format!("token {token}")).get("/user/installations").await.expect(401);
    assert_eq!(response.message(), "Bad credentials");
}

#[tokio::test]
async fn other_credentials_are_rejected_for_app() {
    let (service, _) = service_with_key().await;
    for token in ["ghp_mona0000", "gho_mona0000", "github_pat_mona", "ghu_mona0000", "ghs_helper00", "bogus"] {
        rejected(&service, token, NOT_DECODABLE).await;
    }
    let response = service.anonymous().get("/app").await.expect(401);
    assert_eq!(response.message(), NOT_DECODABLE);
}
