//! Connections: accepted up to a limit, served over HTTP/1 and HTTP/2, drained when the service stops.
//!
//! The accept loop never waits for a connection to end: where there are too many, one that the server only waits for is
//! closed in favour of the new one (docs/decisions/0112-connections-and-permits.md).

mod activity;
mod body;
mod connection;
mod connections;
mod framing;
mod gathered;
mod head;
mod http_service;
mod rejection;
mod stream;

pub use framing::Framing;
pub use head::{Head, check as check_head};
pub use http_service::{Aborted, HttpService, Intercept};

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use activity::Timeouts;
use connection::Connection;
use connections::{CHECK_INTERVAL, Connections, Decision, Limits, RESERVE_MAX};
use futures_util::future::BoxFuture;
use hyper_util::server::graceful::GracefulShutdown;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::app::App;
use crate::settings::Settings;
use plinth_base::error::Result;

/// The longest that the head of a request may take, also where the request itself may take longer.
const HEAD_TIMEOUT_MAX: Duration = Duration::from_secs(10);
/// File descriptors for everything that is not a connection: the store, packs, processes of git.
const OTHER_FILES: u64 = 512;
/// How long to wait after the system could not give another connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stop` is ready, then finishes the requests in flight. Both futures are boxed, so that what serves requests is
/// compiled in this crate, which every profile optimizes.
pub fn serve<'a>(
    listener: TcpListener,
    app: App,
    service: HttpService,
    stop: impl Future<Output = ()> + Send + 'a,
) -> BoxFuture<'a, Result<()>> {
    Box::pin(accept_until(listener, app, service, Box::pin(stop)))
}

async fn accept_until(
    listener: TcpListener,
    app: App,
    service: HttpService,
    mut stop: BoxFuture<'_, ()>,
) -> Result<()> {
    let graceful = GracefulShutdown::new();
    let connections = Connections::new(limits(&app.settings));
    let (drain, draining) = watch::channel(false);
    // Ends with this function, also if its task is aborted.
    let mut closing = JoinSet::new();
    closing.spawn(close_expired(connections.clone(), app.clone()));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, most likely: one that the server only waits for gives its own.
                tracing::warn!(%error, "could not accept a connection");
                connections.evict_one(Instant::now());
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let peer = peer.ip();
        let ticket = loop {
            match connections.admit(peer, Instant::now()) {
                Decision::Admitted(ticket) => break Some(ticket),
                // Meanwhile the next ones wait in the queue of the system.
                Decision::Later(pause) => tokio::time::sleep(pause).await,
                Decision::Rejected => break None,
            }
        };
        // Without a ticket the connection is closed at once.
        if let Some(ticket) = ticket {
            let connection = Connection { stream, peer, service: service.clone(), ticket };
            tokio::spawn(connection.serve(graceful.watcher(), draining.clone()));
        }
    }
    app.start_draining();
    drop(listener);
    drain.send_replace(true);
    if tokio::time::timeout(app.settings.drain_timeout, graceful.shutdown()).await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "some connections were still busy when the time to stop was over"
        );
    }
    Ok(())
}

/// Closes connections whose time is over, at intervals.
async fn close_expired(connections: Arc<Connections>, app: App) {
    let settings = &app.settings;
    let timeouts = Timeouts {
        head: settings.request_timeout.min(HEAD_TIMEOUT_MAX),
        idle: settings.keep_alive_timeout,
        write: settings.write_timeout,
    };
    loop {
        tokio::time::sleep(CHECK_INTERVAL).await;
        connections.close_expired(Instant::now(), &timeouts);
        app.metrics.set_connections(connections.len());
    }
}

/// As many connections as are set, but never more than the system has file descriptors for.
fn limits(settings: &Settings) -> Limits {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // Programs that were made for the time of `select` need a low limit; this one does not.
    let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok();
    let files = if raised { maximum } else { current };
    let possible = files.map_or(usize::MAX, |files| {
        let left = files.saturating_sub(OTHER_FILES + RESERVE_MAX as u64).max(files / 2);
        usize::try_from(left).unwrap_or(usize::MAX)
    });
    if possible < settings.connections_max {
        tracing::warn!(possible, "the limit of open files allows fewer connections than are set");
    }
    let all = settings.connections_max.min(possible);
    Limits { all, per_peer: settings.connections_per_peer_max.min(all), proxies: settings.trusted_proxies.clone() }
}
