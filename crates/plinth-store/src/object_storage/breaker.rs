//! Requests fail at once for a moment after one has failed: each would wait for its timeout, and those who wait for objects
//! would take the threads of those whose objects are on this node's disk.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use plinth_base::error::{Error, Result};

/// After this time the next request is sent again.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Default)]
pub struct Breaker(Mutex<Option<Failed>>);

struct Failed {
    at: Instant,
    why: String,
}

impl Breaker {
    pub fn check(&self) -> Result<()> {
        match &*self.0.lock() {
            Some(failed) if failed.at.elapsed() < PAUSE => Err(Error::Unavailable(failed.why.clone())),
            Some(_) | None => Ok(()),
        }
    }

    /// Notes the outcome of a request.
    pub fn note(&self, failure: Option<&Error>) {
        let mut state = self.0.lock();
        match (&*state, failure) {
            (None, Some(why)) => tracing::warn!(%why, "object storage does not respond as it should"),
            (Some(_), None) => tracing::info!("object storage responds again"),
            _ => {}
        }
        *state = failure.map(|why| Failed { at: Instant::now(), why: why.to_string() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_fail_at_once_after_a_failure_until_one_succeeds() {
        let breaker = Breaker::default();
        breaker.check().expect("nothing has failed");
        breaker.note(Some(&Error::Unavailable("away".into())));
        assert_eq!(breaker.check().expect_err("it has just failed").to_string(), "away");
        breaker.note(None);
        breaker.check().expect("it works again");
    }
}
