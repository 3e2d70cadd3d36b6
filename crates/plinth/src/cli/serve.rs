//! `plinth serve`: the server from its first line to its last.

use plinth_core::expiry;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use clap::Args;
use http::Request;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::instance::DataLock;
use super::options::{Options, Synchronous};
use super::state::State;
use super::{demo, logging, permissions, purge, systemd};
use plinth_api::app::App;
use plinth_api::response::api_response::ApiResponse;
use plinth_api::{health, server};
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_core::objects::{GcRoots, Maintenance, Policy};
use plinth_core::pulls;
use plinth_git as git;
use plinth_git::Repositories;
use plinth_store::{Durability, Store};

/// Everyone besides references who needs objects to stay.
pub const GC_ROOTS: &[GcRoots] = &[pulls::gc_roots];

/// How long to wait after the system could not give another connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long a connection for metrics may be without a request.
const METRICS_TIMEOUT: Duration = Duration::from_secs(90);

#[derive(Debug, Args)]
pub struct Serve {
    /// Bring the store to the state of this file first
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Keep everything in a temporary place that goes with the process, with budgets off
    #[arg(long, conflicts_with = "demo")]
    ephemeral: bool,
    /// Fill the store with an example organization, and print tokens and commands to try
    #[arg(long)]
    demo: bool,
    /// Print one line of JSON with the URL and the process id once requests are answered
    #[arg(long)]
    ready_json: bool,
}

impl Serve {
    pub async fn run(self, mut options: Options, out: &mut (dyn Write + Send)) -> Result<()> {
        options.check_values()?;
        logging::start(&options)?;
        git::check_program()?;
        let temporary = self.ephemeral.then(tempfile::tempdir).transpose()?;
        if let Some(folder) = &temporary {
            options.limits = options.limits.or(Some(false));
            options.lame_duck_seconds = options.lame_duck_seconds.or(Some(0));
            options.data = Some(folder.path().to_owned());
        }
        let durability = if self.ephemeral { Durability::None } else { Durability::PowerCut };
        if options.dev_synchronous.is_some_and(|level| level != Synchronous::Full) {
            tracing::warn!("a power cut takes acknowledged writes with it: dev_synchronous is not full");
        }
        let node = if self.ephemeral { options.ephemeral_node() } else { options.node()? };
        let mut lock = DataLock::take(options.data(), node)?;
        permissions::tighten(options.data());
        let store = Store::open_as(&options.location(durability)?, lock.node()).await?;
        let repositories = Repositories::at(options.data())?;
        repositories.remove_leftovers().map_err(|error| {
            Error::Unavailable(format!("cannot clean up the data directory {}: {error}", options.data().display()))
        })?;
        let app = App::new(store.clone(), repositories, Clock::default(), options.settings()?).await?;
        self.apply_state(&store, &app, out).await?;
        let listener = bind(&options).await?;
        lock.set_listen(listener.local_addr()?)?;
        let url = format!("http://{}", listener.local_addr()?);
        let metrics = start_metrics(&options, &app).await?;
        let sweeping = tokio::spawn(expiry::run(app.core.clone(), {
            let app = app.clone();
            move || app.is_draining()
        }));
        let upkeep = Maintenance::new(app.objects.clone(), app.clock.clone(), GC_ROOTS, Policy::default());
        let upkeep = tokio::spawn(upkeep.run());
        // Before anyone can know whom to signal.
        let stop = stop_signal(app.clone())?;
        let purger = Maintenance::new(app.objects.clone(), app.clock.clone(), GC_ROOTS, Policy::default());
        let purging = tokio::spawn(purge::serve(options.data().to_owned(), purger));
        self.announce((&store, &app), &options, (&url, metrics), out).await?;
        systemd::notify_ready();
        let served = server::serve(listener, app, stop).await;
        sweeping.abort();
        upkeep.abort();
        logging::finish();
        purging.abort();
        tracing::info!("stopped");
        drop(lock);
        served
    }

    async fn apply_state(&self, store: &Store, app: &App, out: &mut (dyn Write + Send)) -> Result<()> {
        let Some(file) = &self.state else { return Ok(()) };
        let report = State::read(file)?.apply(store, &app.repositories, app.clock.now()).await?;
        if !self.ready_json {
            write!(out, "{report}")?;
        }
        Ok(())
    }

    async fn announce(
        &self,
        (store, app): (&Store, &App),
        options: &Options,
        (url, metrics): (&str, Option<String>),
        out: &mut (dyn Write + Send),
    ) -> Result<()> {
        if self.ready_json {
            let mut ready = serde_json::json!({ "url": url, "pid": std::process::id() });
            if let Some(metrics) = metrics {
                ready["metrics_url"] = metrics.into();
            }
            writeln!(out, "{ready}")?;
        } else if self.demo {
            demo::start(store, app, options.data(), url, out).await?;
        } else {
            writeln!(out, "Plinth {} listens on {url} ({})", env!("CARGO_PKG_VERSION"), app.engine_name())?;
        }
        out.flush()?;
        Ok(())
    }
}

async fn bind(options: &Options) -> Result<TcpListener> {
    if let Some(passed) = systemd::passed_listener()? {
        return Ok(TcpListener::from_std(passed)?);
    }
    let address = options.listen();
    TcpListener::bind(address).await.map_err(|error| Error::BadRequest(format!("cannot listen on {address}: {error}")))
}

/// Ready when the process is asked to end. After SIGTERM it is not ready at once but serves for a while, so that whoever
/// sends requests here notices, and clients between two requests come to an end; a second signal cuts that short.
fn stop_signal(app: App) -> Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        let lame_duck = tokio::select! {
            _ = terminate.recv() => app.settings.lame_duck,
            _ = interrupt.recv() => Duration::ZERO,
        };
        systemd::notify_stopping();
        app.start_draining();
        if !lame_duck.is_zero() {
            tracing::info!(seconds = lame_duck.as_secs(), "stopping soon: not ready, but still serving");
            tokio::select! {
                () = tokio::time::sleep(lame_duck) => {}
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        }
        tracing::info!("stopping: finishing the requests in flight");
    })
}

/// Serves metrics on an address of their own, where one is set, and tells it.
async fn start_metrics(options: &Options, app: &App) -> Result<Option<String>> {
    let Some(address) = options.metrics_listen else { return Ok(None) };
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| Error::BadRequest(format!("cannot listen on {address} for metrics: {error}")))?;
    let url = format!("http://{}/metrics", listener.local_addr()?);
    tracing::info!("metrics at {url}");
    let app = app.clone();
    tokio::spawn(async move {
        loop {
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "could not accept a connection for metrics");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let app = app.clone();
            let service = hyper::service::service_fn(move |request: Request<hyper::body::Incoming>| {
                let (app, path) = (app.clone(), request.uri().path().to_owned());
                async move { Ok::<_, std::convert::Infallible>(metrics_page(&app, &path).await) }
            });
            let mut builder = hyper::server::conn::http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(METRICS_TIMEOUT);
            tokio::spawn(builder.serve_connection(TokioIo::new(stream), service));
        }
    });
    Ok(Some(url))
}

async fn metrics_page(app: &App, path: &str) -> Response<Body> {
    match path {
        "/metrics" => ApiResponse::text("text/plain; version=0.0.4", app.metrics.render(app)).into_response(),
        health::DETAILS_PATH => health::details(app).await,
        _ => ApiResponse::not_found().into_response(),
    }
}
