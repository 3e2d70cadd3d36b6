//! `plinth repo purge`: removes the unreachable objects of a repository at once.
//!
//! If a server has the data directory, it purges the repository on behalf of the command.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::lookup::find_repo;
use crate::config::Options;
use crate::data_directory::DataLock;
use crate::maintenance;
use crate::maintenance::purge_requests::{INTERVAL, PurgeRequest};
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_core::objects::Objects;
use plinth_git::Repositories;
use plinth_store::Store;

/// How long to wait for the server: repacking a large repository takes a while.
const SERVER_TIMEOUT: Duration = Duration::from_secs(3600);

pub async fn run(
    options: &Options,
    store: &Store,
    repositories: Repositories,
    clock: &Clock,
    (name, out): (&str, &mut (dyn Write + Send)),
) -> Result<()> {
    let repo = find_repo(&mut store.read().await?, name).await?.repo.id;
    let data = options.data();
    let request = PurgeRequest::new(data, repo);
    request.remove_result();
    let started = Instant::now();
    loop {
        if let Some(lock) = DataLock::try_take(data, options.node()?)? {
            request.remove_all();
            let objects = Objects::new(store.clone(), Arc::new(repositories), options.settings()?.objects);
            let outcome = maintenance::purge(&maintenance::of(objects, clock.clone()), repo).await?;
            drop(lock);
            return Ok(writeln!(out, "{name}: {outcome}")?);
        }
        match request.take_result()? {
            Some(Ok(outcome)) => return Ok(writeln!(out, "{name}: {outcome} (by the server)")?),
            Some(Err(cause)) => return Err(Error::Unavailable(format!("{name}: {cause}"))),
            None => request.submit()?,
        }
        if started.elapsed() > SERVER_TIMEOUT {
            let message = format!("the server on {} did not purge the repository in time", data.display());
            return Err(Error::Unavailable(message));
        }
        tokio::time::sleep(INTERVAL).await;
    }
}
