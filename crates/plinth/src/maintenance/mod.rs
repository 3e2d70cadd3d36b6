//! Garbage collection of objects, by the server or by a command.

pub mod purge_requests;

use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_base::ids::RepoId;
use plinth_core::objects::{GcRoots, Maintenance, Objects, Policy};
use plinth_core::pulls;

/// The roots besides references.
const GC_ROOTS: &[GcRoots] = &[pulls::gc_roots];

/// The maintenance of these objects, with the default policy.
pub fn of(objects: Objects, clock: Clock) -> Maintenance {
    Maintenance::new(objects, clock, GC_ROOTS, Policy::default())
}

/// Removes the unreachable objects of a repository, and describes what was done.
pub async fn purge(maintenance: &Maintenance, repo: RepoId) -> Result<&'static str> {
    let removed = match maintenance.purge(repo).await {
        // A repository that never had an object has no directory either.
        Err(Error::NotFound) => false,
        purged => purged?,
    };
    Ok(if removed { "removed unreachable objects" } else { "nothing to remove" })
}
