//! The part of the response cache that callers share: bodies that are the same for everybody who may read the resource
//! (docs/decisions/0183-shared-bodies.md).
//!
//! A body is found by what was requested and not by who requests it, and only after the caller's right to read the resource
//! was decided for this request. It is valid until something that it shows has changed.

use std::sync::Arc;

use bytes::Bytes;

use super::DIGEST_LENGTH;
use plinth_store::{Dependency, GenerationCache, GenerationTable, Generations};

/// What was requested, as a digest under the store's key: nobody can find two requests with the same one.
pub type BodyKey = [u8; DIGEST_LENGTH];

/// JSON by what was requested. Bounded in bytes.
pub struct SharedBodies(GenerationCache<BodyKey, Bytes>);

impl SharedBodies {
    /// With zero bytes nothing is cached.
    pub fn new(generations: Arc<GenerationTable>, bytes_max: usize) -> Self {
        Self(GenerationCache::new(generations, bytes_max, |_, body| {
            size_of::<BodyKey>() + size_of::<Bytes>() + body.len()
        }))
    }

    pub fn is_on(&self) -> bool {
        self.0.is_on()
    }

    /// The body, if it is valid.
    pub fn find(&self, key: &BodyKey) -> Option<Bytes> {
        self.0.get(key)
    }

    /// Adds a body; `read_at` is from before anything for it was read.
    pub fn insert(&self, read_at: Generations, dependency: Dependency, key: BodyKey, body: Bytes) {
        self.0.insert(read_at, dependency, key, body);
    }
}
