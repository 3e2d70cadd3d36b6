//! How alike two files are, estimated as git does it: by counting equal chunks.

use super::entry::{Entry, TEXT_BYTES_MAX, is_binary};
use super::source::{Source, object};
use crate::budget::{Budget, Reserved};
use plinth_base::error::{Error, Result};

/// The score of two equal files.
pub(super) const SCORE_MAX: u32 = 60_000;
/// Half of a file must survive for it to count as renamed.
pub(super) const SCORE_MIN: u32 = SCORE_MAX / 2;
/// Chunks that are compared before only equal files count as renamed.
const COMPARED_MAX: u64 = 100_000_000;
/// Bytes of all files that are loaded.
const LOADED_MAX: u64 = 256 << 20;
/// Bytes of all chunks in memory at once.
const CHUNK_BYTES_MAX: u64 = 16 << 20;
/// Memory is reserved in steps of this size.
const RESERVED_STEP: u64 = 1 << 20;
const OVER: Error = Error::OverBudget("Too many files would have to be compared to find renames.");

/// The work of rename detection so far. Its limits are counts, not times, so that the same files always give the same
/// renames.
pub(super) struct Effort<'a> {
    budget: &'a Budget,
    compared: u64,
    loaded: u64,
    chunk_bytes: u64,
    reserved: Vec<Reserved>,
}

impl<'a> Effort<'a> {
    pub fn new(budget: &'a Budget) -> Self {
        Self { budget, compared: 0, loaded: 0, chunk_bytes: 0, reserved: Vec::new() }
    }

    /// The score of two files; zero if it is certainly less than `score_min`.
    pub fn score(&mut self, source: &mut Measured<'_>, target: &mut Measured<'_>, score_min: u32) -> Result<u32> {
        self.compare(1)?;
        if !source.entry.mode.is_regular() || !target.entry.mode.is_regular() {
            return Ok(0);
        }
        let (source_size, target_size) = (source.size()?, target.size()?);
        let larger = source_size.max(target_size);
        let difference = larger - source_size.min(target_size);
        let is_too_different = larger * u64::from(SCORE_MAX - score_min) < difference * u64::from(SCORE_MAX);
        if is_too_different || target_size == 0 || larger > TEXT_BYTES_MAX {
            return Ok(0);
        }
        let (source, target) = (source.chunks(self)?, target.chunks(self)?);
        self.compare((source.len() + target.len()) as u64)?;
        let shared = source.shared_with(target);
        Ok((shared * u64::from(SCORE_MAX) / larger) as u32)
    }

    /// Call this when a file is dropped while others are still compared.
    pub fn release(&mut self, measured: &Measured<'_>) {
        self.chunk_bytes -= measured.chunks.as_ref().map_or(0, Chunks::byte_count);
        self.reserved.truncate((self.chunk_bytes / RESERVED_STEP) as usize);
    }

    fn compare(&mut self, count: u64) -> Result<()> {
        self.compared += count;
        if self.compared > COMPARED_MAX {
            return Err(OVER);
        }
        self.budget.compare(count)
    }

    fn load(&mut self, bytes: u64) -> Result<()> {
        self.loaded += bytes;
        if self.loaded > LOADED_MAX { Err(OVER) } else { Ok(()) }
    }

    fn reserve(&mut self, bytes: u64) -> Result<()> {
        self.chunk_bytes += bytes;
        if self.chunk_bytes > CHUNK_BYTES_MAX {
            return Err(OVER);
        }
        while self.chunk_bytes / RESERVED_STEP > self.reserved.len() as u64 {
            match self.budget.reserve(RESERVED_STEP)? {
                Some(reserved) => self.reserved.push(reserved),
                None => break,
            }
        }
        Ok(())
    }
}

/// An entry with its size and chunks, read on demand.
pub(super) struct Measured<'a> {
    repo: &'a dyn Source,
    pub entry: &'a Entry,
    size: Option<u64>,
    chunks: Option<Chunks>,
}

impl<'a> Measured<'a> {
    pub fn new(repo: &'a dyn Source, entry: &'a Entry) -> Self {
        Self { repo, entry, size: None, chunks: None }
    }

    fn size(&mut self) -> Result<u64> {
        match self.size {
            Some(size) => Ok(size),
            None => Ok(*self.size.insert(self.entry.size(self.repo)?)),
        }
    }

    fn chunks(&mut self, effort: &mut Effort<'_>) -> Result<&Chunks> {
        if self.chunks.is_none() {
            effort.load(self.size()?)?;
            let blob = object(self.repo, &self.entry.id)?;
            let chunks = Chunks::of(blob.data());
            effort.reserve(chunks.byte_count())?;
            self.chunks = Some(chunks);
        }
        Ok(self.chunks.as_ref().expect("filled just now"))
    }
}

/// A chunk ends with its line, or after this many bytes.
const CHUNK_MAX: u32 = 64;
const HASH_BASE: u32 = 107_927;

/// The chunks of a file: the number of bytes for each hash value, sorted by value.
#[derive(Debug)]
pub(super) struct Chunks(Vec<(u32, u32)>);

impl Chunks {
    pub fn of(bytes: &[u8]) -> Self {
        let mut chunks = Vec::new();
        let is_text = !is_binary(bytes);
        let mut chunk = Chunk::default();
        for (index, &byte) in bytes.iter().enumerate() {
            // Git ignores a change of line ends here.
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
        chunks.dedup_by(|next, previous| {
            let same = next.0 == previous.0;
            if same {
                previous.1 += next.1;
            }
            same
        });
        chunks.shrink_to_fit();
        Self(chunks)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Their size in memory.
    pub fn byte_count(&self) -> u64 {
        size_of_val(&self.0[..]) as u64
    }

    /// How many bytes of this file are in the other.
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
