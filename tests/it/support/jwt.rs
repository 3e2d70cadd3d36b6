//! JSON web tokens of apps, valid and invalid.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

use super::START;

/// The claims of a valid token.
pub fn claims(issuer: impl Into<Value>) -> Value {
    json!({ "iss": issuer.into(), "iat": START.0 - 30, "exp": START.0 + 500 })
}

/// Signs with RS256.
pub fn sign(private_pem: &str, claims: &Value) -> String {
    sign_with(Algorithm::RS256, private_pem, claims)
}

pub fn sign_with(algorithm: Algorithm, private_pem: &str, claims: &Value) -> String {
    let key = EncodingKey::from_rsa_pem(private_pem.as_bytes()).expect("the test's key is good");
    jsonwebtoken::encode(&Header::new(algorithm), claims, &key).expect("claims can be signed")
}

/// Signs with RS256 under any header.
pub fn sign_with_header(private_pem: &str, header: &Value, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", part(header), part(claims));
    let key = EncodingKey::from_rsa_pem(private_pem.as_bytes()).expect("the test's key is good");
    let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &key, Algorithm::RS256).expect("it can be signed");
    format!("{message}.{signature}")
}
