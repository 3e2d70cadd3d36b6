//! JSON web tokens that apps sign: RS256 only, with the key that the store has for the issuer.

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
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
        // No store keeps a NUL, so nobody is called so.
        Value::String(issuer) if !issuer.contains('\0') => Ok(issuer.clone()),
        Value::Number(number) if number.is_u64() => Ok(number.to_string()),
        _ => Err(JwtError::NotDecodable),
    }
}

/// Checks the signature with any of the issuer's public keys, then the times.
pub fn verify(token: &str, public_keys: &[Vec<u8>], now: Timestamp) -> Result<(), JwtError> {
    let mut rules = Validation::new(Algorithm::RS256);
    // The times have texts of their own, and their types must be checked; both happen below.
    rules.validate_exp = false;
    rules.validate_nbf = false;
    rules.validate_aud = false;
    rules.required_spec_claims.clear();
    let claims = public_keys
        .iter()
        .find_map(|key| jsonwebtoken::decode::<Value>(token, &DecodingKey::from_rsa_der(key), &rules).ok())
        .ok_or(JwtError::NotDecodable)?
        .claims;
    check_times(&claims, now)
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
