//! What the writer thread is doing, for health checks.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::DbError;

/// A group of transactions takes milliseconds. One that takes longer than this is stuck: on a disk, on a lock of another
/// process, or on a fault.
const BUSY_MAX: Duration = Duration::from_secs(5);

/// Shared by the writer and the health checks.
#[derive(Default)]
pub struct WriterState(Mutex<Fields>);

#[derive(Default)]
struct Fields {
    busy_since: Option<Instant>,
    /// Why no write is accepted.
    sync_failure: Option<String>,
}

impl WriterState {
    /// Marks the writer as busy until the guard is dropped.
    pub fn begin(&self) -> Busy<'_> {
        self.0.lock().busy_since = Some(Instant::now());
        Busy(self)
    }

    pub fn reject_writes(&self, why: &str) {
        self.0.lock().sync_failure = Some(why.to_owned());
    }

    pub fn accept_writes(&self) {
        self.0.lock().sync_failure = None;
    }

    /// Fails where a write could not be acknowledged anyway.
    pub fn check_accepting(&self) -> Result<(), DbError> {
        match &self.0.lock().sync_failure {
            Some(why) => Err(DbError::SyncFailed(why.clone())),
            None => Ok(()),
        }
    }

    /// As [`WriterState::check_accepting`], and also fails where the writer makes no progress.
    pub fn check(&self) -> Result<(), DbError> {
        self.check_accepting()?;
        let busy = self.0.lock().busy_since.map(|since| since.elapsed()).unwrap_or_default();
        if busy > BUSY_MAX {
            return Err(DbError::Unavailable(format!("the writer has been busy for {} s", busy.as_secs())));
        }
        Ok(())
    }
}

/// The writer is busy while this exists.
pub struct Busy<'a>(&'a WriterState);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.0.lock().busy_since = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_fails_when_the_writer_is_busy_for_long() {
        let state = WriterState::default();
        let busy = state.begin();
        assert!(state.check().is_ok());
        state.0.lock().busy_since = Instant::now().checked_sub(BUSY_MAX * 2);
        let stuck = state.check().expect_err("it is stuck").to_string();
        assert!(stuck.contains("busy for 10 s"), "{stuck}");
        drop(busy);
        assert!(state.check().is_ok());
    }

    #[test]
    fn no_write_is_accepted_after_a_failed_sync() {
        let state = WriterState::default();
        state.reject_writes("disk I/O error");
        assert!(matches!(state.check_accepting(), Err(DbError::SyncFailed(_))) && state.check().is_err());
        state.accept_writes();
        assert!(state.check_accepting().is_ok() && state.check().is_ok());
    }
}
