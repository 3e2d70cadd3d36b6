//! JSON web tokens that apps sign: RS256 only, with a key of the issuer in the store.

use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use plinth_base::clock::Timestamp;
use plinth_base::ids::AppId;

const ALGORITHM: &str = "RS256";
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

/// A token whose parts are decoded. Nothing in it is verified.
struct Decoded<'a> {
    header: Value,
    claims: Value,
    signature: Vec<u8>,
    /// Header and claims, as they are signed.
    message: &'a str,
}

impl<'a> Decoded<'a> {
    /// A token has exactly three parts, in base64url without padding (RFC 7515, 7.1).
    fn from_text(token: &'a str) -> Option<Self> {
        let (message, signature) = token.rsplit_once('.')?;
        let (header, claims) = message.split_once('.')?;
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
        Some(Self {
            header: serde_json::from_slice(&decode(header)?).ok()?,
            claims: serde_json::from_slice(&decode(claims)?).ok()?,
            signature: decode(signature)?,
            message,
        })
    }

    /// A token with a critical extension that is not supported must be rejected (RFC 7515, 4.1.11). No extension is
    /// supported here, and an empty or malformed list is not allowed either.
    fn has_critical_extensions(&self) -> bool {
        self.header.get("crit").is_some()
    }

    fn is_signed_with(&self, public_key: &[u8]) -> bool {
        let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public_key);
        key.verify(self.message.as_bytes(), &self.signature).is_ok()
    }
}

/// The issuer that the token claims, to look up its keys. Not verified.
pub fn claimed_issuer(token: &str) -> Result<Issuer, JwtError> {
    let token = Decoded::from_text(token).ok_or(JwtError::NotDecodable)?;
    match &token.claims["iss"] {
        Value::String(issuer) => Ok(Issuer::parse(issuer)),
        Value::Number(number) if number.is_u64() => Ok(Issuer::parse(&number.to_string())),
        _ => Err(JwtError::NotDecodable),
    }
}

/// Checks the signature with any of the issuer's public keys, then the times.
pub fn verify(token: &str, public_keys: &[Vec<u8>], now: Timestamp) -> Result<(), JwtError> {
    let token = Decoded::from_text(token).ok_or(JwtError::NotDecodable)?;
    if token.header["alg"] != ALGORITHM || token.has_critical_extensions() {
        return Err(JwtError::NotDecodable);
    }
    if !public_keys.iter().any(|key| token.is_signed_with(key)) {
        return Err(JwtError::NotDecodable);
    }
    check_times(&token.claims, now)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_has_three_parts_in_base64url_without_padding() {
        let [header, claims] =
            [r#"{"alg":"RS256"}"#, r#"{"iss":1,"a":">>>"}"#].map(|part| URL_SAFE_NO_PAD.encode(part));
        let good = format!("{header}.{claims}.AAAA");
        assert_eq!(claimed_issuer(&good), Ok(Issuer::AppId(AppId(1))));
        for wrong in [
            String::new(),
            header.clone(),
            format!("{header}.{claims}"),
            format!("{good}."),
            format!("{good}.AAAA"),
            format!(".{good}"),
            format!(" {good}"),
            format!("{good}\n"),
            format!("{header}..AAAA"),
            format!(".{claims}.AAAA"),
            format!("{header}.{claims}==.AAAA"),
            format!("{header}.{}.AAAA", claims.replace('-', "+")),
            // A part whose last bits are not zero has a second encoding.
            format!("{header}.{claims}.AB"),
        ] {
            assert_eq!(claimed_issuer(&wrong), Err(JwtError::NotDecodable), "{wrong}");
        }
    }
}
