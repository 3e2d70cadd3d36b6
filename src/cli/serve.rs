//! `plinth serve`: the server from its first line to its last.

use std::io::Write;
use std::path::PathBuf;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use clap::Args;
use http::Request;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::options::{Options, Synchronous};
use super::state::State;
use super::{demo, logging};
use crate::api::reply::Reply;
use crate::app::App;
use crate::clock::Clock;
use crate::db::{Durability, Store};
use crate::error::{Error, Result};
use crate::objects::{Holder, Policy, Upkeep};
use crate::{pulls, server, sweep};

/// Everyone besides references who needs objects to stay.
const HOLDERS: &[Holder] = &[pulls::held];

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
        logging::start(&options)?;
        let temporary = self.ephemeral.then(tempfile::tempdir).transpose()?;
        if let Some(folder) = &temporary {
            options.limits = options.limits.or(Some(false));
            options.data = Some(folder.path().to_owned());
        }
        let durability = if self.ephemeral { Durability::None } else { Durability::PowerCut };
        if options.dev_synchronous.is_some_and(|level| level != Synchronous::Full) {
            tracing::warn!("a power cut takes acknowledged writes with it: dev_synchronous is not full");
        }
        let store = Store::open(&options.location(durability)?).await?;
        let repositories = options.open_repositories()?;
        repositories.sweep()?;
        let app = App::new(store, repositories, Clock::default(), options.settings()?).await?;
        self.apply_state(&app, out).await?;
        let listener = bind(&options).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let metrics = start_metrics(&options, &app).await?;
        let sweeping = tokio::spawn(sweep::run(app.clone()));
        let upkeep = Upkeep::new(app.objects.clone(), app.clock.clone(), HOLDERS, Policy::default());
        let upkeep = tokio::spawn(upkeep.run());
        self.announce(&app, &options, (&url, metrics), out).await?;
        let served = server::serve(listener, app, stop_signal()?).await;
        sweeping.abort();
        upkeep.abort();
        tracing::info!("stopped");
        served
    }

    async fn apply_state(&self, app: &App, out: &mut (dyn Write + Send)) -> Result<()> {
        let Some(file) = &self.state else { return Ok(()) };
        let report = State::read(file)?.apply(&app.store, &app.repositories, app.clock.now()).await?;
        if !self.ready_json {
            write!(out, "{report}")?;
        }
        Ok(())
    }

    async fn announce(
        &self,
        app: &App,
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
            demo::start(app, options.data(), url, out).await?;
        } else {
            writeln!(out, "Plinth {} listens on {url} ({})", env!("CARGO_PKG_VERSION"), app.store.engine_name())?;
        }
        out.flush()?;
        Ok(())
    }
}

async fn bind(options: &Options) -> Result<TcpListener> {
    let address = options.listen();
    TcpListener::bind(address).await.map_err(|error| Error::BadRequest(format!("cannot listen on {address}: {error}")))
}

/// Ready when the process is asked to end.
fn stop_signal() -> Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping: finishing what is under way");
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
        while let Ok((stream, _)) = listener.accept().await {
            let app = app.clone();
            let service = hyper::service::service_fn(move |request: Request<hyper::body::Incoming>| {
                let response = metrics_page(&app, request.uri().path());
                async move { Ok::<_, std::convert::Infallible>(response) }
            });
            let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            tokio::spawn(connection);
        }
    });
    Ok(Some(url))
}

fn metrics_page(app: &App, path: &str) -> Response<Body> {
    match path {
        "/metrics" => Reply::text("text/plain; version=0.0.4", app.metrics.render(&app.store)).into_response(),
        _ => Error::NotFound.into_response(),
    }
}
