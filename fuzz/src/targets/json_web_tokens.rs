//! JSON web tokens of apps.

use std::sync::LazyLock;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use plinth_base::clock::Timestamp;
use plinth_core::tokens::{claimed_issuer, verify_jwt};
use serde_json::Value;

use crate::Target;
use crate::input::{first, parts, texts};

const NOW: i64 = 1_772_000_000;

static KEY: LazyLock<KeyPair> = LazyLock::new(|| KeyPair::generate(KeySize::Rsa2048).expect("a key can be generated"));

/// After `s`, header and claims are signed for the fuzzer; after anything else comes a token that nobody signed. Only the first
/// may be accepted, and only with the times that the documentation allows.
pub const JSON_WEB_TOKENS: Target = Target {
    name: "json-web-tokens",
    seeds: || {
        let unsigned = |header: &str, claims: &str| {
            format!("u{}.{}.AAAA", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims))
        };
        let mut seeds = texts(&[
            "s{\"alg\":\"RS256\",\"typ\":\"JWT\"}\0{\"iss\":\"Iv23x\",\"iat\":1771999990,\"exp\":1772000500,\"nbf\":1771999990}",
            "s{\"alg\":\"RS256\"}\0{\"iss\":1,\"iat\":1771999990,\"exp\":1772000500.5}",
            "s{\"alg\":\"none\",\"crit\":[\"b64\"],\"b64\":false}\0{\"iss\":\"1\",\"iat\":1e9,\"exp\":-1,\"nbf\":1e300}",
        ]);
        seeds.push(unsigned("{\"alg\":\"RS256\"}", "{\"iss\":1,\"iat\":1771999990,\"exp\":1772000500}").into());
        seeds.push(unsigned("{\"alg\":\"none\"}", "{\"iss\":\"x\"}").into());
        seeds.push(unsigned("{\"alg\":\"HS256\",\"kid\":\"../x\"}", "[]").into());
        seeds
    },
    check: |data| match first(data) {
        (b's', data) => check_signed(data),
        (_, data) => check_unsigned(data),
    },
};

fn public_keys() -> [Vec<u8>; 1] {
    [KEY.public_key().as_ref().to_vec()]
}

fn check_unsigned(data: &[u8]) {
    let Ok(token) = std::str::from_utf8(data) else { return };
    let issuer = claimed_issuer(token);
    assert_eq!(claimed_issuer(token), issuer);
    assert!(verify_jwt(token, &public_keys(), Timestamp(NOW)).is_err(), "nobody signed {token}");
    assert!(verify_jwt(token, &[], Timestamp(NOW)).is_err());
    assert!(verify_jwt(token, &[data.to_vec()], Timestamp(NOW)).is_err(), "the token is no key");
}

fn check_signed(data: &[u8]) {
    let [header, claims] = parts(data);
    let message = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
    let mut signature = vec![0; KEY.public_modulus_len()];
    KEY.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message.as_bytes(), &mut signature).expect("the key can sign");
    let token = format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature));
    if verify_jwt(&token, &public_keys(), Timestamp(NOW)).is_err() {
        return;
    }
    let header: Value = serde_json::from_slice(header).expect("an accepted header is JSON");
    let claims: Value = serde_json::from_slice(claims).expect("accepted claims are JSON");
    assert_eq!((header["alg"].as_str(), header.get("crit")), (Some("RS256"), None));
    let issued_at = claims["iat"].as_i64().expect("an integer");
    let expires = claims["exp"].as_f64().expect("a number");
    assert!(issued_at <= NOW + 60, "{claims}");
    assert!(expires >= (NOW + 1) as f64 && expires < (NOW + 601) as f64, "{claims}");
}
