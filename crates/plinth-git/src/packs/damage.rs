//! Damaged repositories: counted, and logged once for each file.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use plinth_base::error::Error;
use plinth_base::ids::Sha;

/// Files that are logged at most.
const REPORTED_MAX: usize = 1_000;

static COUNT: AtomicU64 = AtomicU64::new(0);
static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// How many reads of this process failed because of damage.
pub fn damaged_objects() -> u64 {
    COUNT.load(Ordering::Relaxed)
}

/// An object that must exist and cannot be read. Callers must not treat it as absent.
#[derive(Debug)]
pub struct Damage {
    file: String,
    object: Sha,
    cause: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "damage in {}: {}: {}", self.file, self.object, self.cause)
    }
}

impl std::error::Error for Damage {}

/// Counts the damage, logs its file the first time, and returns the error.
pub(crate) fn report(file: &Path, object: &Sha, cause: impl fmt::Display) -> Error {
    COUNT.fetch_add(1, Ordering::Relaxed);
    let damage = Damage { file: file.display().to_string(), object: *object, cause: cause.to_string() };
    let mut reported = REPORTED.lock();
    if reported.len() < REPORTED_MAX && reported.insert(damage.file.clone()) {
        tracing::error!(file = %damage.file, %object, cause = %damage.cause, "a repository is damaged: run plinth verify");
    }
    Error::Internal(Box::new(damage))
}
