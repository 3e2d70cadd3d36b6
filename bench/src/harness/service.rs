//! Starts the service, its other commands and the reference servers.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::context::Context;
use super::names;
use crate::http::Client;
use crate::servers::{Role, Synchronous, parse_address};
use crate::system::{ServerProcess, on_cores, output_of};

/// High enough for every run: rate limits are counted, as in production, but never reached.
const RATE_LIMIT: &str = "1000000000";

/// As long as the load generator waits: a slow machine must not fail a run with 503.
const REQUEST_SECONDS: &str = "30";

/// Where a server may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cpu {
    /// On the server's core, which the load generator does not use.
    ServerCore,
    /// On so many cores.
    FirstCores(usize),
    #[default]
    AnyCore,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResponseCache {
    #[default]
    On,
    Off,
}

/// How to run the service; by default as in production.
#[derive(Debug, Clone, Copy, Default)]
pub struct ServeOptions {
    pub cpu: Cpu,
    pub synchronous: Synchronous,
    pub response_cache: ResponseCache,
    /// Caches that are turned off, separated by commas.
    pub disabled_caches: Option<&'static str>,
    /// Whether the service serves its metrics, which [`statement_count`] reads.
    pub metrics: bool,
    pub webhooks: Webhooks,
}

/// Which webhooks are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Webhooks {
    /// Those to public addresses.
    #[default]
    Public,
    /// Those to receivers on this machine, too.
    Local,
    /// None; events are stored.
    Paused,
}

/// Starts the service on a data directory.
pub fn start(context: &Context, data: &Path, options: ServeOptions) -> Result<ServerProcess> {
    start_command(context, &mut prepared(context, data, options))
}

/// The command that starts the service on a data directory.
pub fn prepared(context: &Context, data: &Path, options: ServeOptions) -> Command {
    let mut command = on_cores(&context.plinth, cores(context, options.cpu));
    serve_arguments(&mut command, data);
    if options.response_cache == ResponseCache::Off {
        command.args([names::RESPONSE_CACHE_BYTES, "0"]);
    }
    if let Some(caches) = options.disabled_caches {
        command.args([names::DISABLED_CACHES, caches]);
    }
    if options.metrics {
        command.args(["--metrics-listen", "127.0.0.1:0"]);
    }
    match options.webhooks {
        Webhooks::Public => {}
        Webhooks::Local => {
            command.args([names::WEBHOOK_PRIVATE_TARGETS, "loopback"]);
        }
        Webhooks::Paused => {
            command.args([names::WEBHOOK_ATTEMPTS, "0"]);
        }
    }
    if options.synchronous == Synchronous::Normal {
        command.env(names::SYNCHRONOUS_VARIABLE, "normal");
    }
    command
}

/// Starts the service with its response cache off, to measure the cost of computing responses.
pub fn start_uncached(context: &Context, data: &Path) -> Result<ServerProcess> {
    let options = ServeOptions { cpu: Cpu::ServerCore, response_cache: ResponseCache::Off, ..ServeOptions::default() };
    start(context, data, options)
}

/// Sets the arguments and the environment of `plinth serve`.
pub fn serve_arguments(command: &mut Command, data: &Path) {
    clear_settings(command);
    command.args(["serve", "--listen", "127.0.0.1:0", "--ready-json", "--data"]).arg(data);
    command.args([names::REQUEST_TIMEOUT, REQUEST_SECONDS]);
    for limit in names::RATE_LIMITS {
        command.args([limit, RATE_LIMIT]);
    }
}

/// Starts a prepared command of the service and waits until it is ready.
pub fn start_command(context: &Context, command: &mut Command) -> Result<ServerProcess> {
    ServerProcess::start(command, &context.log("plinth")?, |line| ready_address(line, names::READY_URL))
}

/// Starts this program as a reference server.
pub fn start_reference(context: &Context, role: &Role, cpu: Cpu) -> Result<ServerProcess> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let mut command = on_cores(&program, cores(context, cpu));
    command.args(role.arguments());
    ServerProcess::start(&mut command, &context.log("reference")?, parse_address)
}

fn cores(context: &Context, cpu: Cpu) -> Option<&[usize]> {
    match cpu {
        Cpu::ServerCore => context.machine.first_cores(1),
        Cpu::FirstCores(count) => context.machine.first_cores(count),
        Cpu::AnyCore => None,
    }
}

/// Runs a command of the service on a data directory.
pub fn run_command(context: &Context, data: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(&context.plinth);
    clear_settings(&mut command);
    output_of(command.args(arguments).arg("--data").arg(data))
}

/// A developer's own settings must not change the measurements.
pub fn clear_settings(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with(names::VARIABLE_PREFIX) {
            command.env_remove(name);
        }
    }
}

/// Reads the number of SQL statements that the service has executed.
pub fn statement_count(service: &ServerProcess) -> Result<u64> {
    metric(service, names::STATEMENTS_METRIC)?.with_context(|| format!("no metric `{}`", names::STATEMENTS_METRIC))
}

/// Reads the numbers of responses that came from the response cache, whose body was made for another caller, of single refs and comments that were
/// not read, and of pages of comments for which no list was read.
pub fn cache_hit_counts(service: &ServerProcess) -> Result<[u64; 5]> {
    let names = [
        names::CACHE_HITS_METRIC,
        names::SHARED_BODY_HITS_METRIC,
        names::REF_HITS_METRIC,
        names::COMMENT_HITS_METRIC,
        names::COMMENT_PAGE_HITS_METRIC,
    ];
    let counts: Result<Vec<u64>> =
        names.iter().map(|name| metric(service, name)?.with_context(|| format!("no metric `{name}`"))).collect();
    Ok(counts?.try_into().expect("as many as names"))
}

/// Reads the number of webhooks that receivers have accepted.
pub fn delivery_count(service: &ServerProcess) -> Result<u64> {
    // An outcome is shown once there is one.
    Ok(metric(service, names::DELIVERIES_METRIC)?.unwrap_or_default())
}

fn metric(service: &ServerProcess, name: &str) -> Result<Option<u64>> {
    let address = ready_address(&service.first_line, names::READY_METRICS_URL);
    let page = Client::connect(address.context("the ready line has no metrics URL")?)?.get("/metrics")?.expect(200)?;
    let text = String::from_utf8_lossy(&page.body).into_owned();
    Ok(text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok()))
}

/// Parses the line that `--ready-json` prints.
fn ready_address(line: &str, key: &str) -> Option<SocketAddr> {
    let ready: serde_json::Value = serde_json::from_str(line).ok()?;
    ready[key].as_str()?.strip_prefix("http://")?.split('/').next()?.parse().ok()
}
