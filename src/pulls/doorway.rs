//! Where work on Git objects leaves the asynchronous world.

use crate::app::App;
use crate::error::{Error, Result};
use crate::git::{NoObjects, Reader};
use crate::ids::RepoId;

/// Runs `work` over the objects of a repository on a thread where blocking is fine.
pub async fn read<T: Send + 'static>(
    app: &App,
    repo: RepoId,
    work: impl FnOnce(&Reader<'_>) -> Result<T> + Send + 'static,
) -> Result<T> {
    let repositories = app.repositories.clone();
    let running = tokio::task::spawn_blocking(move || {
        let repository = match repositories.get(repo) {
            Err(Error::NotFound) => repositories.create(repo)?,
            opened => opened?,
        };
        work(&repository.reader(&NoObjects))
    });
    running.await.map_err(|error| Error::internal(format!("work on objects did not end: {error}")))?
}
