//! How alike two files are, and how much may be spent on finding out.

use super::entry::{Entry, TEXT_BYTES_MAX};
use super::rename::SCORE_MAX;
use super::similarity::Chunks;
use super::source::{Source, object};
use crate::budget::{Budget, Reserved};
use plinth_base::error::{Error, Result};

/// Chunks that are compared with each other before only equal files count as renamed.
const COMPARED_MAX: u64 = 100_000_000;
/// Bytes that are loaded for it.
const LOADED_MAX: u64 = 256 << 20;
/// Bytes of chunks that are held for it at once.
const HELD_MAX: u64 = 16 << 20;
/// Memory is reserved in steps of this size.
const RESERVED_STEP: u64 = 1 << 20;
const OVER: Error = Error::OverBudget("Too many files would have to be compared to find renames.");

/// What finding renames has taken. Its limits are counts, so that the same files always give the same renames.
pub(super) struct Effort<'a> {
    budget: &'a Budget,
    compared: u64,
    loaded: u64,
    held: u64,
    reserved: Vec<Reserved>,
}

impl<'a> Effort<'a> {
    pub fn new(budget: &'a Budget) -> Self {
        Self { budget, compared: 0, loaded: 0, held: 0, reserved: Vec::new() }
    }

    /// How alike two files are; zero if that is surely less than `score_min`.
    pub fn score(&mut self, source: &mut Measured<'_>, target: &mut Measured<'_>, score_min: u32) -> Result<u32> {
        self.compare(1)?;
        if !source.entry.mode.is_regular() || !target.entry.mode.is_regular() {
            return Ok(0);
        }
        let (source_size, target_size) = (source.size()?, target.size()?);
        let larger = source_size.max(target_size);
        let difference = larger - source_size.min(target_size);
        let is_far = larger * u64::from(SCORE_MAX - score_min) < difference * u64::from(SCORE_MAX);
        if is_far || target_size == 0 || larger > TEXT_BYTES_MAX {
            return Ok(0);
        }
        let (source, target) = (source.chunks(self)?, target.chunks(self)?);
        self.compare((source.len() + target.len()) as u64)?;
        let shared = source.shared_with(target);
        Ok((shared * u64::from(SCORE_MAX) / larger) as u32)
    }

    /// Call this when what was measured is dropped while others are still measured.
    pub fn release(&mut self, measured: &Measured<'_>) {
        self.held -= measured.chunks.as_ref().map_or(0, Chunks::byte_count);
        self.reserved.truncate((self.held / RESERVED_STEP) as usize);
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

    fn hold(&mut self, bytes: u64) -> Result<()> {
        self.held += bytes;
        if self.held > HELD_MAX {
            return Err(OVER);
        }
        while self.held / RESERVED_STEP > self.reserved.len() as u64 {
            match self.budget.reserve(RESERVED_STEP)? {
                Some(reserved) => self.reserved.push(reserved),
                None => break,
            }
        }
        Ok(())
    }
}

/// An entry with what has been found out about its content.
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
            effort.hold(chunks.byte_count())?;
            self.chunks = Some(chunks);
        }
        Ok(self.chunks.as_ref().expect("filled just now"))
    }
}
