//! The checksum at the end of packs and their indexes.

use plinth_base::error::Result;

const LENGTH: usize = 20;

/// Compares the last bytes of a file with the hash of the bytes before them, while the file is read in pieces.
pub struct TrailerCheck {
    hasher: gix_hash::Hasher,
    /// The last bytes so far: the checksum, if the file ends here.
    tail: Vec<u8>,
}

impl Default for TrailerCheck {
    fn default() -> Self {
        Self { hasher: gix_hash::hasher(gix_hash::Kind::Sha1), tail: Vec::with_capacity(LENGTH * 2) }
    }
}

impl TrailerCheck {
    pub fn update(&mut self, bytes: &[u8]) {
        if bytes.len() >= LENGTH {
            self.hasher.update(&self.tail);
            let (content, tail) = bytes.split_at(bytes.len() - LENGTH);
            self.hasher.update(content);
            self.tail.clear();
            self.tail.extend_from_slice(tail);
        } else {
            self.tail.extend_from_slice(bytes);
            let content = self.tail.len().saturating_sub(LENGTH);
            self.hasher.update(&self.tail[..content]);
            self.tail.drain(..content);
        }
    }

    /// Whether the checksum matches.
    pub fn is_intact(self) -> Result<bool> {
        let hash = self.hasher.try_finalize().map_err(crate::broken)?;
        Ok(self.tail == hash.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_check_is_independent_of_piece_size() {
        let mut hasher = gix_hash::hasher(gix_hash::Kind::Sha1);
        let content: Vec<u8> = (0..100).collect();
        hasher.update(&content);
        let whole = [&content[..], hasher.try_finalize().expect("no collision").as_slice()].concat();
        for step in [1, 3, 19, 20, 21, 64, 120] {
            let check = |bytes: &[u8]| {
                let mut check = TrailerCheck::default();
                bytes.chunks(step).for_each(|piece| check.update(piece));
                check.is_intact().expect("no collision")
            };
            assert!(check(&whole), "{step}");
            for position in [0, 50, 99, 100, 119] {
                let mut damaged = whole.clone();
                damaged[position] ^= 1;
                assert!(!check(&damaged), "{step} {position}");
            }
            assert!(!check(&whole[..119]) && !check(b""), "{step}");
        }
    }
}
