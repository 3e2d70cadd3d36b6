//! Places for processes of git, of which a machine bears only so many at once.

use tokio::sync::OwnedSemaphorePermit;

use crate::app::App;
use crate::error::{Error, Result};

/// A place, or a refusal at once: a client that waits would only time out later.
pub fn take(app: &App) -> Result<OwnedSemaphorePermit> {
    let place = app.git_places.clone().try_acquire_owned();
    place.map_err(|_| Error::Unavailable("too many clones and pushes at once".into()))
}
