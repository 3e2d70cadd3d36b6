//! The one doorway for work that blocks.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::error::{Error, Result};

/// Pieces of work under way at once; more would only take memory and wait for the same disk.
const WORKERS_MAX: usize = 64;

/// Bounds how much work blocks at once.
pub struct Doorway {
    places: Arc<Semaphore>,
}

impl Default for Doorway {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(WORKERS_MAX)) }
    }
}

impl Doorway {
    /// The place is given back when the work ends, even if nobody waits for it any more.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
        let place = self.places.clone().acquire_owned().await.expect("nobody closes this semaphore");
        let running = tokio::task::spawn_blocking(move || {
            let outcome = work();
            drop(place);
            outcome
        });
        running.await.map_err(|error| Error::internal(format!("work on objects did not end: {error}")))?
    }
}
