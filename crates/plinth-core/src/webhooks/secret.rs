//! Secrets of hooks, encrypted with a key that the database does not have.
//!
//! Unlike tokens, which are stored as hashes, the secret itself is needed to sign deliveries.

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use plinth_store::{Column, DbError, Parameter, Value};

use super::owner::WebhookOwner;
use crate::tokens::Secret;

/// The length of the key in bytes.
pub const KEY_BYTES: usize = 32;
/// The first byte of a sealed secret: the algorithm and the layout.
const VERSION: u8 = 1;

/// The key that encrypts secrets at rest.
pub struct SecretKey(LessSafeKey);

impl SecretKey {
    pub fn new(bytes: &[u8; KEY_BYTES]) -> Self {
        let key = UnboundKey::new(&AES_256_GCM, bytes).expect("the key has the length of the algorithm");
        Self(LessSafeKey::new(key))
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[redacted]")
    }
}

/// An encrypted secret: version, nonce, ciphertext and tag.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedSecret(Vec<u8>);

impl fmt::Debug for SealedSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[sealed]")
    }
}

impl Column for SealedSecret {
    type Raw = Vec<u8>;

    fn from_raw(raw: Vec<u8>) -> Result<Self, DbError> {
        Ok(Self(raw))
    }
}

impl Parameter for SealedSecret {
    fn value(&self) -> Value<'_> {
        Value::Bytes(&self.0)
    }
}

/// A sealed secret does not belong to this key and owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the secret of the hook was encrypted with another key")]
pub struct OpenError;

/// Encrypts a secret for the hooks of one owner: a row that is copied to another owner cannot be opened.
pub fn seal(key: &SecretKey, owner: WebhookOwner, secret: &Secret) -> SealedSecret {
    let mut nonce = [0u8; NONCE_LEN];
    getrandom::fill(&mut nonce).expect("the system has a random generator");
    let mut data = secret.reveal().as_bytes().to_vec();
    key.0
        .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(associated(owner)), &mut data)
        .expect("the secret is shorter than the limit of the algorithm");
    SealedSecret([&[VERSION][..], &nonce, &data].concat())
}

/// Decrypts the secret of a hook of this owner.
pub fn open(key: &SecretKey, owner: WebhookOwner, sealed: &SealedSecret) -> Result<Secret, OpenError> {
    let rest = sealed.0.strip_prefix(&[VERSION]).ok_or(OpenError)?;
    let (nonce, data) = rest.split_first_chunk::<NONCE_LEN>().ok_or(OpenError)?;
    let mut data = data.to_vec();
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let text = key.0.open_in_place(nonce, Aad::from(associated(owner)), &mut data).map_err(|_| OpenError)?;
    String::from_utf8(text.to_vec()).map(Secret::new).map_err(|_| OpenError)
}

fn associated(owner: WebhookOwner) -> String {
    format!("webhook {} {}", owner.target_type(), owner.target_id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use plinth_base::ids::{AccountId, RepoId};

    #[test]
    fn open_needs_the_key_and_the_owner_of_the_secret() {
        let (key, other) = (SecretKey::new(&[7; KEY_BYTES]), SecretKey::new(&[8; KEY_BYTES]));
        let (repo, org) = (WebhookOwner::Repo(RepoId(1)), WebhookOwner::Org(AccountId(1)));
        let secret = Secret::new("It's a Secret to Everybody");
        let sealed = seal(&key, repo, &secret);
        assert_eq!(open(&key, repo, &sealed), Ok(secret.clone()));
        assert_eq!(open(&other, repo, &sealed), Err(OpenError));
        assert_eq!(open(&key, org, &sealed), Err(OpenError));
        assert_eq!(open(&key, repo, &SealedSecret(vec![VERSION, 2, 3])), Err(OpenError));
        assert_ne!(seal(&key, repo, &secret), sealed);
        assert!(!sealed.0.windows(6).any(|part| part == b"Secret"));
    }
}
