//! The service under test, and its other commands.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::bench::Bench;
use crate::http::Client;
use crate::machine::on_core;
use crate::process::{Running, succeed};
use crate::servers::{Role, Synchronous, read_address};

/// Enough for every run: budgets are kept, as in production, and never used up.
const BUDGET: &str = "1000000000";

/// Where a server may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On the one core that the load generator leaves alone.
    OneCore,
    Anywhere,
}

/// A service on a data folder, durable unless told otherwise.
pub fn start(bench: &Bench, data: &Path, place: Place, synchronous: Synchronous) -> Result<Running> {
    let mut command = on_core(&bench.plinth, core(bench, place));
    serving(&mut command, data);
    if synchronous == Synchronous::Normal {
        command.env("PLINTH_DEV_SYNCHRONOUS", "normal");
    }
    Running::start(&mut command, &bench.log("plinth"), read_ready)
}

/// A service that tells how many statements its store has run, with these words besides.
pub fn start_counted(bench: &Bench, data: &Path, words: &[&str]) -> Result<Running> {
    let mut command = Command::new(&bench.plinth);
    serving(&mut command, data);
    command.args(["--metrics-listen", "127.0.0.1:0"]).args(words);
    Running::start(&mut command, &bench.log("plinth"), read_ready)
}

/// A service that makes every answer anew, on one core: for what the making costs.
pub fn start_forgetful(bench: &Bench, data: &Path) -> Result<Running> {
    let mut command = on_core(&bench.plinth, core(bench, Place::OneCore));
    serving(&mut command, data);
    command.args(["--kept-bytes-max", "0"]);
    Running::start(&mut command, &bench.log("plinth"), read_ready)
}

/// The words and the environment of `plinth serve`, with the settings of production.
pub fn serving(command: &mut Command, data: &Path) {
    without_settings(command);
    command.args(["serve", "--listen", "127.0.0.1:0", "--ready-json", "--data"]).arg(data);
    for budget in ["--requests-per-hour", "--content-per-minute", "--content-per-hour"] {
        command.args([budget, BUDGET]);
    }
}

/// This program as a server beside the service.
pub fn start_beside(bench: &Bench, role: &Role, place: Place) -> Result<Running> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let mut command = on_core(&program, core(bench, place));
    command.args(role.words());
    Running::start(&mut command, &bench.log("beside"), read_address)
}

fn core(bench: &Bench, place: Place) -> Option<usize> {
    let cores = bench.machine.cores?;
    (place == Place::OneCore).then_some(cores.server)
}

/// Runs a command of the service on a data folder.
pub fn command(bench: &Bench, data: &Path, words: &[&str]) -> Result<String> {
    let mut command = Command::new(&bench.plinth);
    without_settings(&mut command);
    succeed(command.args(words).arg("--data").arg(data))
}

/// A developer's own settings must not change what is measured.
fn without_settings(command: &mut Command) {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PLINTH_")) {
        command.env_remove(name);
    }
}

/// The address in the line that `--ready-json` asks for.
pub fn read_ready(line: &str) -> Option<SocketAddr> {
    read_address_at(line, "url")
}

/// Where it tells its figures.
pub fn read_metrics(line: &str) -> Option<SocketAddr> {
    read_address_at(line, "metrics_url")
}

fn read_address_at(line: &str, key: &str) -> Option<SocketAddr> {
    let ready: serde_json::Value = serde_json::from_str(line).ok()?;
    ready[key].as_str()?.strip_prefix("http://")?.split('/').next()?.parse().ok()
}

impl Running {
    pub fn client(&self) -> Result<Client> {
        Client::connect(self.address)
    }
}
