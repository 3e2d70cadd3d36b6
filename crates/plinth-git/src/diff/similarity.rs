//! How much of one file is still in another, estimated as git does it: by counting equal chunks.

use super::text::is_binary;

/// A chunk ends with its line, or after this many bytes.
const CHUNK_MAX: u32 = 64;
const HASH_BASE: u32 = 107_927;

/// The chunks of a file: how many bytes hash to each value, by value.
#[derive(Debug)]
pub(super) struct Chunks(Vec<(u32, u32)>);

impl Chunks {
    pub fn of(bytes: &[u8]) -> Self {
        let mut chunks = Vec::new();
        let is_text = !is_binary(bytes);
        let mut chunk = Chunk::default();
        for (index, &byte) in bytes.iter().enumerate() {
            // A file that only changed its line ends is the same file.
            if is_text && byte == b'\r' && bytes.get(index + 1) == Some(&b'\n') {
                continue;
            }
            chunk.push(byte);
            if chunk.length == CHUNK_MAX || byte == b'\n' {
                chunks.push(std::mem::take(&mut chunk).finish());
            }
        }
        if chunk.length > 0 {
            chunks.push(chunk.finish());
        }
        chunks.sort_unstable_by_key(|chunk| chunk.0);
        chunks.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        chunks.shrink_to_fit();
        Self(chunks)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// What they take in memory.
    pub fn byte_count(&self) -> u64 {
        size_of_val(&self.0[..]) as u64
    }

    /// How many bytes of this file are found in the other.
    pub fn shared_with(&self, other: &Self) -> u64 {
        let mut others = other.0.iter().peekable();
        let mut shared = 0;
        for &(value, bytes) in &self.0 {
            while others.next_if(|next| next.0 < value).is_some() {}
            if let Some(&(_, other_bytes)) = others.next_if(|next| next.0 == value) {
                shared += u64::from(bytes.min(other_bytes));
            }
        }
        shared
    }
}

#[derive(Default)]
struct Chunk {
    low: u32,
    high: u32,
    length: u32,
}

impl Chunk {
    fn push(&mut self, byte: u8) {
        let before = self.low;
        self.low = (self.low << 7) ^ (self.high >> 25);
        self.high = (self.high << 7) ^ (before >> 25);
        self.low = self.low.wrapping_add(u32::from(byte));
        self.length += 1;
    }

    fn finish(self) -> (u32, u32) {
        let value = self.low.wrapping_add(self.high.wrapping_mul(0x61)) % HASH_BASE;
        (value, self.length)
    }
}
