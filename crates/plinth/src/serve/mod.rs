//! `plinth serve`: starts the server, runs it until a signal, and stops it.

mod control;
mod demo;
mod embedded;
mod metrics;
mod systemd;

pub use embedded::Embedded;

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use control::Running;
use demo::Demo;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::config::{Options, Synchronous};
use crate::data_directory::DataLock;
use crate::instance::Opened;
use crate::state_file::State;
use crate::{logging, permissions};
use plinth_api::app::App;
use plinth_api::server;
use plinth_base::error::{Error, Result};
use plinth_git as git;
use plinth_store::Durability;
use plinth_webhooks::address::PrivateTarget;

const VERSION: &str = env!("PLINTH_VERSION");

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
    /// Address of the control interface for tests, which requires a token; with --ephemeral it is otherwise at the address
    /// of the API, if that is a loopback address
    #[arg(long, value_name = "ADDRESS", env = "PLINTH_CONTROL")]
    control: Option<SocketAddr>,
    /// Token of the control interface at --control [default: a new one, which is printed]
    #[arg(long, value_name = "TOKEN", env = "PLINTH_CONTROL_TOKEN", hide_env_values = true, requires = "control")]
    control_token: Option<String>,
    /// Say in the header X-Plinth-Explanation of an error which rule has rejected a request; for tests
    #[arg(long, requires = "ephemeral")]
    explain: bool,
}

/// A server that has everything but somebody who calls [`Ready::serve`].
struct Ready {
    url: String,
    metrics_url: Option<String>,
    demo: Option<Demo>,
    app: App,
    running: Running,
    listener: TcpListener,
    lock: DataLock,
    /// Removed last.
    temporary: Option<TempDir>,
}

impl Ready {
    /// Serves until `stop` is ready, then finishes what has begun.
    async fn serve(self, stop: impl Future<Output = ()> + Send) -> Result<()> {
        let served = server::serve(self.listener, self.app, self.running.service(), stop).await;
        self.running.stop().await;
        drop(self.lock);
        drop(self.temporary);
        served
    }
}

impl Serve {
    pub async fn run(self, options: Options, out: &mut (dyn Write + Send)) -> Result<()> {
        options.check_values()?;
        logging::start(&options)?;
        let mut ready = self.open(options, out).await?;
        // Before the process id is printed, which others may signal at once.
        let stop = stop_signal(ready.app.clone())?;
        if self.ready_json {
            print_ready_json(&ready, out)?;
        } else if let Some(demo) = ready.demo.take() {
            demo.print(&ready.url, out)?;
        } else {
            writeln!(out, "Plinth {VERSION} listens on {} ({})", ready.url, ready.app.engine_name())?;
            if let Some(access) = ready.running.control_access() {
                writeln!(out, "{access}")?;
            }
        }
        out.flush()?;
        systemd::notify_ready();
        let served = ready.serve(stop).await;
        logging::finish();
        tracing::info!("stopped");
        served
    }

    /// Opens the data and the listener, and starts everything that runs in the background.
    async fn open(&self, mut options: Options, out: &mut (dyn Write + Send)) -> Result<Ready> {
        git::check_program()?;
        let temporary = self.ephemeral.then(tempfile::tempdir).transpose()?;
        if let Some(directory) = &temporary {
            options.limits = options.limits.or(Some(false));
            // On one machine, compressing and decompressing take longer than the bytes that they save.
            options.compression = options.compression.or(Some(false));
            options.lame_duck_seconds = options.lame_duck_seconds.or(Some(0));
            // As on GitHub, so that a test sees each delivery once; and its receiver is on this machine.
            options.webhook_attempts_max = options.webhook_attempts_max.or(Some(1));
            options.webhook_private_targets =
                options.webhook_private_targets.or_else(|| Some(vec![PrivateTarget::Loopback]));
            options.data = Some(directory.path().join("data"));
        }
        let durability = if self.ephemeral { Durability::None } else { Durability::PowerCut };
        if options.dev_synchronous.is_some_and(|level| level != Synchronous::Full) {
            tracing::warn!("a power cut loses acknowledged writes: dev_synchronous is not full");
        }
        self.print_start(&options, out)?;
        let node = if self.ephemeral { options.ephemeral_node() } else { options.node()? };
        let mut lock = DataLock::take(options.data(), node)?;
        permissions::tighten(options.data());
        let state = self.read_state(&options).await?;
        let opened = Opened::open(&options, durability, self.clock(), lock.node()).await?;
        self.apply_state(state, &opened, out).await?;
        let demo = self.apply_demo(&opened, &options, out).await?;
        let listener = bind(&options).await?;
        lock.set_listen(listener.local_addr()?)?;
        let url = format!("http://{}", listener.local_addr()?);
        let app = opened.app.clone();
        let metrics_url = metrics::start(&options, &app).await?;
        let running = self.start(opened, &options, temporary.as_ref().map(TempDir::path), &url).await?;
        Ok(Ready { url, metrics_url, demo, app, running, listener, lock, temporary })
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

    /// Reads the state file. A snapshot in it becomes the data of an ephemeral server, before that is opened.
    async fn read_state(&self, options: &Options) -> Result<Option<State>> {
        let Some(file) = &self.state else { return Ok(None) };
        let mut state = State::read(file)?;
        if self.ephemeral
            && options.database.is_none()
            && let Some(snapshot) = state.take_snapshot()
        {
            snapshot.write(options.data()).await?;
        }
        Ok(Some(state))
    }

    async fn apply_state(
        &self,
        state: Option<State>,
        Opened { app, store, .. }: &Opened,
        out: &mut (dyn Write + Send),
    ) -> Result<()> {
        let Some(state) = state else { return Ok(()) };
        let state = state.with_secrets_key_file(app.secrets_key.path().to_owned());
        let report = state.apply(store, &app.repositories, app.clock.now()).await?;
        if !self.ready_json {
            write!(out, "{report}")?;
        }
        Ok(())
    }

    async fn apply_demo(
        &self,
        opened: &Opened,
        options: &Options,
        out: &mut (dyn Write + Send),
    ) -> Result<Option<Demo>> {
        if !self.demo || self.ready_json {
            return Ok(None);
        }
        Demo::apply(&opened.store, &opened.app, options.data(), out).await.map(Some)
    }
}

fn print_ready_json(ready: &Ready, out: &mut (dyn Write + Send)) -> Result<()> {
    let mut line = serde_json::json!({ "url": ready.url, "pid": std::process::id() });
    if let Some(metrics_url) = &ready.metrics_url {
        line["metrics_url"] = metrics_url.as_str().into();
    }
    if let Some(access) = ready.running.control_access() {
        line["control_url"] = access.url.as_str().into();
        line["control_token"] = access.token.as_str().into();
    }
    Ok(writeln!(out, "{line}")?)
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
