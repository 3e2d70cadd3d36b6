//! The key that entity tags are computed with.

use aws_lc_rs::hmac;
use highway::{HighwayHash as _, HighwayHasher, Key};

/// How long a digest is.
pub const DIGEST_LENGTH: usize = 32;

/// Belongs to the store, so that every node sends the same tags. Whoever does not know it cannot find two contents with one
/// tag, for which a client would keep the old one.
#[derive(Clone, Copy)]
pub struct EntityTagKey([u64; 4]);

impl EntityTagKey {
    /// The secret is that of the cursors; the name makes it another key.
    pub fn new(secret: &[u8]) -> Self {
        let derived = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), b"entity tags");
        let mut key = [0; 4];
        for (word, bytes) in key.iter_mut().zip(derived.as_ref().as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        Self(key)
    }

    /// The digest of these parts, one after another.
    pub fn digest(self, parts: &[&[u8]]) -> [u8; DIGEST_LENGTH] {
        let mut hasher = HighwayHasher::new(Key(self.0));
        for part in parts {
            hasher.append(part);
        }
        let mut digest = [0; DIGEST_LENGTH];
        for (bytes, word) in digest.as_chunks_mut().0.iter_mut().zip(hasher.finalize256()) {
            *bytes = word.to_le_bytes();
        }
        digest
    }
}

impl std::fmt::Debug for EntityTagKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("[redacted]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_depends_on_the_key_and_on_every_byte() {
        let key = EntityTagKey::new(b"a key of the store");
        let digest = key.digest(&[b"one", b"two"]);
        assert_eq!(digest, EntityTagKey::new(b"a key of the store").digest(&[b"onetwo"]));
        assert_ne!(digest, EntityTagKey::new(b"another key").digest(&[b"onetwo"]));
        let text = [7; 200];
        for position in 0..text.len() {
            let mut changed = text;
            changed[position] = 8;
            assert_ne!(key.digest(&[&text]), key.digest(&[&changed]), "{position}");
        }
        // All of it is used: no two words of the key or of the digest are the same.
        for words in [key.0, std::array::from_fn(|index| u64::from_le_bytes(digest.as_chunks().0[index]))] {
            assert!((0..4).all(|one| (0..one).all(|other| words[one] != words[other])), "{words:?}");
        }
    }
}
