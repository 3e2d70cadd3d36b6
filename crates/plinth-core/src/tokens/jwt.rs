//! JSON web tokens that apps sign: RS256 only, with a key of the issuer in the store.

use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Algorithm;
use serde_json::Value;

use plinth_base::clock::Timestamp;
use plinth_base::ids::AppId;

/// How far `exp` may be in the future.
const LIFETIME_MAX_SECONDS: i64 = 600;
/// How far an app's clock may be ahead of ours.
const CLOCK_SKEW_SECONDS: i64 = 60;

/// Why a JSON web token is rejected; app libraries match on the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JwtError {
    NotDecodable,
    IssuedAt,
    Expired,
    TooFarAhead,
    NotBefore,
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
            JwtError::NotBefore => {
                "'Not before' claim ('nbf') must be a numeric value representing a time that has passed"
            }
        }
    }
}

/// The issuer of a token, in one of the two forms that GitHub accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Issuer {
    /// The id of the app, as a JSON number or as decimal digits.
    AppId(AppId),
    ClientId(String),
}

impl Issuer {
    /// Not normalized: a number with a sign, a leading zero or a space is a client id that no app has.
    fn parse(text: &str) -> Self {
        match text.parse::<AppId>() {
            Ok(id) if id.to_string() == text => Issuer::AppId(id),
            Ok(_) | Err(_) => Issuer::ClientId(text.to_owned()),
        }
    }
}

/// The issuer that the token claims, to look up its keys. Not verified.
pub fn claimed_issuer(token: &str) -> Result<Issuer, JwtError> {
    let claims: Value =
        jsonwebtoken::dangerous::insecure_decode::<Value>(token).map_err(|_| JwtError::NotDecodable)?.claims;
    match &claims["iss"] {
        Value::String(issuer) => Ok(Issuer::parse(issuer)),
        Value::Number(number) if number.is_u64() => Ok(Issuer::parse(&number.to_string())),
        _ => Err(JwtError::NotDecodable),
    }
}

/// Checks the signature with any of the issuer's public keys, then the times.
pub fn verify(token: &str, public_keys: &[Vec<u8>], now: Timestamp) -> Result<(), JwtError> {
    let header = jsonwebtoken::decode_header(token).map_err(|_| JwtError::NotDecodable)?;
    if has_critical_extensions(token) {
        return Err(JwtError::NotDecodable);
    }
    if header.alg != Algorithm::RS256 || !public_keys.iter().any(|key| is_signed_with(token, key)) {
        return Err(JwtError::NotDecodable);
    }
    let claims = jsonwebtoken::dangerous::insecure_decode::<Value>(token).map_err(|_| JwtError::NotDecodable)?.claims;
    check_times(&claims, now)
}

/// A token with a critical extension that is not supported must be rejected (RFC 7515, 4.1.11). No extension is supported
/// here, and an empty or malformed list is not allowed either.
fn has_critical_extensions(token: &str) -> bool {
    let header = token.split('.').next().and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
    let header = header.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    header.is_none_or(|header| header.get("crit").is_some())
}

/// The library would check the types of the claims together with the signature, without the messages that clients match
/// on. So the signature is verified here, and the claims afterwards.
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
    match claims.get("nbf").map(numeric_seconds) {
        None => Ok(()),
        Some(Some(start)) if start <= now.0 + CLOCK_SKEW_SECONDS => Ok(()),
        Some(_) => Err(JwtError::NotBefore),
    }
}

/// Some libraries send `exp` and `nbf` with a fraction.
fn numeric_seconds(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_f64().map(|seconds| seconds as i64))
}
