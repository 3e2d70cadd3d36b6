//! RSA keys of apps. The private key is shown once; only the public key is stored.

use std::fmt;

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rsa::{KeyPair, KeySize, PublicKey};
use aws_lc_rs::signature::KeyPair as _;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The minimum key length in bits.
const BITS_MIN: usize = 2048;
const PEM_LINE: usize = 64;

/// A new key pair: the private key for the app's owner, the public key for the store.
pub struct AppKey {
    pub private_pem: String,
    pub public_der: Vec<u8>,
}

/// Why a text is not a valid private or public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyError {
    NotPem,
    NotRsa,
    TooShort,
}

impl fmt::Display for KeyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            KeyError::NotPem => "it is not a PEM text",
            KeyError::NotRsa => "it is not an RSA key",
            KeyError::TooShort => "it has fewer than 2048 bits",
        })
    }
}

impl std::error::Error for KeyError {}

pub fn generate_key() -> AppKey {
    let pair = KeyPair::generate(KeySize::Rsa2048).expect("the system can generate a key");
    let private: Pkcs8V1Der<'_> = pair.as_der().expect("a generated key can be encoded");
    AppKey { private_pem: to_pem("PRIVATE KEY", private.as_ref()), public_der: pair.public_key().as_ref().to_vec() }
}

/// The public key of a private key in PEM form, PKCS#1 or PKCS#8.
pub fn public_key_of(private_pem: &str) -> Result<Vec<u8>, KeyError> {
    let (label, der) = from_pem(private_pem)?;
    let pair = match label {
        "RSA PRIVATE KEY" => KeyPair::from_der(&der),
        "PRIVATE KEY" => KeyPair::from_pkcs8(&der),
        _ => return Err(KeyError::NotRsa),
    };
    let pair = pair.map_err(|_| KeyError::NotRsa)?;
    if pair.public_modulus_len() * 8 < BITS_MIN {
        return Err(KeyError::TooShort);
    }
    Ok(pair.public_key().as_ref().to_vec())
}

/// The public key from a PEM text with a public or a private key.
pub fn read_public_key(pem: &str) -> Result<Vec<u8>, KeyError> {
    let (label, der) = from_pem(pem)?;
    match label {
        "PUBLIC KEY" | "RSA PUBLIC KEY" => {
            let key = PublicKey::from_der(&der).map_err(|_| KeyError::NotRsa)?;
            if key.modulus_len() * 8 < BITS_MIN {
                return Err(KeyError::TooShort);
            }
            Ok(key.as_ref().to_vec())
        }
        _ => public_key_of(pem),
    }
}

/// The fingerprint that identifies a key: the SHA-256 of the public key.
pub fn fingerprint(public_der: &[u8]) -> String {
    let hash = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, public_der);
    format!("SHA256:{}", STANDARD.encode(hash))
}

fn to_pem(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines = text.as_bytes().chunks(PEM_LINE).map(|line| std::str::from_utf8(line).expect("base64 is ASCII"));
    let body = lines.collect::<Vec<_>>().join("\n");
    format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
}

fn from_pem(text: &str) -> Result<(&str, Vec<u8>), KeyError> {
    let text = text.trim();
    let rest = text.strip_prefix("-----BEGIN ").ok_or(KeyError::NotPem)?;
    let (label, rest) = rest.split_once("-----").ok_or(KeyError::NotPem)?;
    let body = rest.split_once("-----END ").ok_or(KeyError::NotPem)?.0;
    let compact: String = body.split_whitespace().collect();
    Ok((label, STANDARD.decode(compact).map_err(|_| KeyError::NotPem)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_key_of_reads_generated_keys_and_rejects_other_texts() {
        let key = generate_key();
        assert_eq!(public_key_of(&key.private_pem), Ok(key.public_der));
        assert_eq!(public_key_of("hello"), Err(KeyError::NotPem));
        assert_eq!(
            public_key_of("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"),
            Err(KeyError::NotRsa)
        );
    }
}
