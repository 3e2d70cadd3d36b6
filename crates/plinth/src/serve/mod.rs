//! `plinth serve`: starts the server, runs it until a signal, and stops it.

mod demo;
mod metrics;
mod systemd;
mod webhooks;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use demo::Demo;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::config::{Options, Synchronous};
use crate::data_directory::DataLock;
use crate::maintenance::purge_requests;
use crate::state_file::State;
use crate::{logging, maintenance, permissions};
use plinth_api::app::App;
use plinth_api::server;
use plinth_base::clock::Clock;
use plinth_base::error::{Error, Result};
use plinth_core::expiry;
use plinth_core::repos::deletion;
use plinth_git as git;
use plinth_git::Repositories;
use plinth_store::{Durability, Store};
use plinth_webhooks::address::PrivateTarget;

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Debug, Args)]
pub struct Serve {
    /// Apply this state file first
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Store everything in a temporary directory that is removed at the end, without rate limits; for tests
    #[arg(long, conflicts_with = "demo")]
    ephemeral: bool,
    /// Create an example organization, and print tokens and commands to try
    #[arg(long)]
    demo: bool,
    /// Print one line of JSON with the URL and the process id once requests are served
    #[arg(long)]
    ready_json: bool,
}

impl Serve {
    pub async fn run(self, mut options: Options, out: &mut (dyn Write + Send)) -> Result<()> {
        options.check_values()?;
        logging::start(&options)?;
        git::check_program()?;
        let temporary = self.ephemeral.then(tempfile::tempdir).transpose()?;
        if let Some(directory) = &temporary {
            options.limits = options.limits.or(Some(false));
            options.lame_duck_seconds = options.lame_duck_seconds.or(Some(0));
            // As on GitHub, so that a test sees each delivery once; and its receiver is on this machine.
            options.webhook_attempts_max = options.webhook_attempts_max.or(Some(1));
            options.webhook_private_targets =
                options.webhook_private_targets.or_else(|| Some(vec![PrivateTarget::Loopback]));
            options.data = Some(directory.path().to_owned());
        }
        let durability = if self.ephemeral { Durability::None } else { Durability::PowerCut };
        if options.dev_synchronous.is_some_and(|level| level != Synchronous::Full) {
            tracing::warn!("a power cut loses acknowledged writes: dev_synchronous is not full");
        }
        self.print_start(&options, out)?;
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
        let demo = self.apply_demo(&store, &app, &options, out).await?;
        let listener = bind(&options).await?;
        lock.set_listen(listener.local_addr()?)?;
        let url = format!("http://{}", listener.local_addr()?);
        let metrics_url = metrics::start(&options, &app).await?;
        let background = start_background(&options, &app);
        let deliveries = webhooks::start(&app, options.delivery_settings(), &url);
        // Before the process id is printed, which others may signal at once.
        let stop = stop_signal(app.clone())?;
        if self.ready_json {
            print_ready_json(&url, metrics_url, out)?;
        } else if let Some(demo) = demo {
            demo.print(&url, out)?;
        } else {
            writeln!(out, "Plinth {VERSION} listens on {url} ({})", app.engine_name())?;
        }
        out.flush()?;
        systemd::notify_ready();
        let served = server::serve(listener, app, stop).await;
        background.into_iter().for_each(|task| task.abort());
        deliveries.stop().await;
        logging::finish();
        tracing::info!("stopped");
        drop(lock);
        served
    }

    /// The first line of a demo, before anything that may take a while or fail.
    fn print_start(&self, options: &Options, out: &mut (dyn Write + Send)) -> Result<()> {
        if !self.demo || self.ready_json {
            return Ok(());
        }
        let (data, database) =
            (options.data().display(), if options.database.is_some() { "PostgreSQL" } else { "SQLite" });
        writeln!(out, "Plinth {VERSION}: starting with {database}, data directory {data}/")?;
        Ok(out.flush()?)
    }

    async fn apply_state(&self, store: &Store, app: &App, out: &mut (dyn Write + Send)) -> Result<()> {
        let Some(file) = &self.state else { return Ok(()) };
        let state = State::read(file)?.with_secrets_key_file(app.secrets_key.path().to_owned());
        let report = state.apply(store, &app.repositories, app.clock.now()).await?;
        if !self.ready_json {
            write!(out, "{report}")?;
        }
        Ok(())
    }

    async fn apply_demo(
        &self,
        store: &Store,
        app: &App,
        options: &Options,
        out: &mut (dyn Write + Send),
    ) -> Result<Option<Demo>> {
        if !self.demo || self.ready_json {
            return Ok(None);
        }
        Demo::apply(store, app, options.data(), out).await.map(Some)
    }
}

fn print_ready_json(url: &str, metrics_url: Option<String>, out: &mut (dyn Write + Send)) -> Result<()> {
    let mut ready = serde_json::json!({ "url": url, "pid": std::process::id() });
    if let Some(metrics_url) = metrics_url {
        ready["metrics_url"] = metrics_url.into();
    }
    Ok(writeln!(out, "{ready}")?)
}

async fn bind(options: &Options) -> Result<TcpListener> {
    if let Some(passed) = systemd::passed_listener()? {
        return Ok(TcpListener::from_std(passed)?);
    }
    let address = options.listen();
    TcpListener::bind(address).await.map_err(|error| {
        let hint = match error.kind() {
            std::io::ErrorKind::AddrInUse => "; choose another address with --listen, such as 127.0.0.1:0",
            _ => "",
        };
        Error::BadRequest(format!("cannot listen on {address}: {error}{hint}"))
    })
}

/// Starts the tasks that run as long as the server: expiry of tokens, removal of deleted
/// repositories, garbage collection and purge requests.
fn start_background(options: &Options, app: &App) -> [tokio::task::JoinHandle<()>; 4] {
    let maintenance = || maintenance::of(app.objects.clone(), app.clock.clone());
    let is_draining = || {
        let app = app.clone();
        move || app.is_draining()
    };
    [
        tokio::spawn(expiry::run(app.core.clone(), is_draining())),
        tokio::spawn(deletion::run(app.core.clone(), is_draining())),
        tokio::spawn(maintenance().run()),
        tokio::spawn(purge_requests::serve(options.data().to_owned(), maintenance())),
    ]
}

/// Completes when the process should stop accepting requests. After SIGTERM the server reports not ready but serves for a
/// while, so that load balancers notice and clients between two requests can finish. A second signal ends that period.
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
