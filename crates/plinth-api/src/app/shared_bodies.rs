//! The part of the response cache that callers share: responses that are the same for everybody who may read the resource
//! (docs/decisions/0183-shared-bodies.md).
//!
//! A response is found by what was requested and not by who requests it, and only after the caller's right to read the resource
//! was decided for this request. It is valid until something that it shows has changed.

use std::sync::Arc;

use super::DIGEST_LENGTH;
use crate::response::api_response::{ApiResponse, WholeResponse};
use plinth_base::ids::AccountId;
use plinth_store::{Dependency, GenerationCache, GenerationTable, Generations};

/// What was requested, as a digest under the store's key: nobody can find two requests with the same one.
pub type BodyKey = [u8; DIGEST_LENGTH];

/// Callers that see something else than everybody; with more of them, a response is not shared.
pub const EXCEPTIONS_MAX: usize = 16;

pub struct SharedBody {
    pub response: WholeResponse,
    /// Those who see something else.
    pub exceptions: Vec<AccountId>,
}

/// Responses by what was requested. Bounded in bytes.
pub struct SharedBodies(GenerationCache<BodyKey, Arc<SharedBody>>);

impl SharedBodies {
    /// With zero bytes nothing is cached.
    pub fn new(generations: Arc<GenerationTable>, bytes_max: usize) -> Self {
        Self(GenerationCache::new(generations, bytes_max, |_, shared| {
            let exceptions = shared.exceptions.capacity() * size_of::<AccountId>();
            size_of::<BodyKey>() + size_of::<SharedBody>() + shared.response.heap_bytes() + exceptions
        }))
    }

    pub fn is_on(&self) -> bool {
        self.0.is_on()
    }

    /// The response for this viewer, if it is valid and the viewer is none of the exceptions.
    pub fn find(&self, key: &BodyKey, viewer: Option<AccountId>) -> Option<ApiResponse> {
        let shared = self.0.get(key)?;
        let is_exception = viewer.is_some_and(|viewer| shared.exceptions.contains(&viewer));
        (!is_exception).then(|| ApiResponse::from(&shared.response))
    }

    /// Adds a response; `read_at` is from before anything for it was read.
    pub fn insert(&self, read_at: Generations, dependency: Dependency, key: BodyKey, shared: SharedBody) {
        self.0.insert(read_at, dependency, key, Arc::new(shared));
    }
}
