//! JSON web tokens that apps sign: RS256 only, with the key that the store has for the issuer.

use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Algorithm;
use serde_json::Value;

use crate::clock::Timestamp;

/// The farthest that `exp` may lie ahead.
const LIFETIME_MAX_SECONDS: i64 = 600;
/// How far an app's clock may be ahead of ours.
const CLOCK_SKEW_SECONDS: i64 = 60;

/// Why a JSON web token is refused; the texts are those that app libraries match on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JwtError {
    NotDecodable,
    IssuedAt,
    Expired,
    TooFarAhead,
}

impl JwtError {
    pub fn message(self) -> &'static str {
        match self {
            JwtError::NotDecodable => "A JSON web token could not be decoded",
            JwtError::IssuedAt => {
                "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
            }
            JwtError::Expired => {
                "'Expiration time' claim ('exp') must be a numeric value representing the future time at which \
                 the assertion expires"
            }
            JwtError::TooFarAhead => "'Expiration time' claim ('exp') is too far in the future",
        }
    }
}

/// The issuer that the token claims, to find its keys by; nothing is proven yet.
pub fn claimed_issuer(token: &str) -> Result<String, JwtError> {
    let claims: Value =
        jsonwebtoken::dangerous::insecure_decode::<Value>(token).map_err(|_| JwtError::NotDecodable)?.claims;
    match &claims["iss"] {
        Value::String(issuer) => Ok(issuer.clone()),
        Value::Number(number) if number.is_u64() => Ok(number.to_string()),
        _ => Err(JwtError::NotDecodable),
    }
}

/// Checks the signature with any of the issuer's public keys, then the times.
pub fn verify(token: &str, public_keys: &[Vec<u8>], now: Timestamp) -> Result<(), JwtError> {
    let header = jsonwebtoken::decode_header(token).map_err(|_| JwtError::NotDecodable)?;
    if header.alg != Algorithm::RS256 || !public_keys.iter().any(|key| is_signed_with(token, key)) {
        return Err(JwtError::NotDecodable);
    }
    let claims = jsonwebtoken::dangerous::insecure_decode::<Value>(token).map_err(|_| JwtError::NotDecodable)?.claims;
    check_times(&claims, now)
}

/// The library would judge the types of the claims together with the signature, without the texts that clients
/// match on; so the signature is judged here, and the claims after it.
fn is_signed_with(token: &str, public_key: &[u8]) -> bool {
    let Some((message, signature)) = token.rsplit_once('.') else { return false };
    let Ok(signature) = URL_SAFE_NO_PAD.decode(signature) else { return false };
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public_key);
    key.verify(message.as_bytes(), &signature).is_ok()
}

fn check_times(claims: &Value, now: Timestamp) -> Result<(), JwtError> {
    let issued_at = claims["iat"].as_i64().ok_or(JwtError::IssuedAt)?;
    if issued_at > now.0 + CLOCK_SKEW_SECONDS {
        return Err(JwtError::IssuedAt);
    }
    let expires = numeric_seconds(&claims["exp"]).ok_or(JwtError::Expired)?;
    if expires <= now.0 {
        return Err(JwtError::Expired);
    }
    if expires > now.0 + LIFETIME_MAX_SECONDS {
        return Err(JwtError::TooFarAhead);
    }
    Ok(())
}

/// Some libraries send `exp` with a fraction.
fn numeric_seconds(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_f64().map(|seconds| seconds as i64))
}
