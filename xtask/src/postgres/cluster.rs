//! A running PostgreSQL server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::account::{self, Account};
use super::binaries::{self, Source};
use super::home::{Home, Syncs};
use super::server;
use super::setup::Setup;
use crate::reaper::Reaper;
use crate::workspace;

/// Includes the time of a download.
const SERVE_LIMIT: Duration = Duration::from_secs(600);

/// Dropping it stops the server and removes its files.
pub struct Cluster {
    reaper: Arc<Reaper>,
    server: Child,
    port: u16,
    bin: PathBuf,
    version: String,
    account: Option<Account>,
    /// Dropped last, after the server has ended.
    _home: Home,
}

impl Cluster {
    pub fn start(reaper: &Arc<Reaper>, from: Option<Source>, log: &Path, deadline: Instant) -> Result<Self, String> {
        Self::start_with(Syncs::Never, reaper, from, log, deadline)
    }

    pub fn start_with(
        syncs: Syncs,
        reaper: &Arc<Reaper>,
        from: Option<Source>,
        log: &Path,
        deadline: Instant,
    ) -> Result<Self, String> {
        let account = account::unprivileged()?;
        let home = Home::create(reaper, account.as_ref(), syncs)?;
        let setup = Setup { reaper, home: &home, account: account.as_ref(), log, deadline, syncs };
        let binaries = binaries::get(&setup, from)?;
        server::init(&setup, &binaries.bin)?;
        let (server, port) = server::start(&setup, &binaries.bin)?;
        let (bin, version) = (binaries.bin, binaries.version);
        Ok(Self { reaper: reaper.clone(), server, port, bin, version, account, _home: home })
    }

    /// The maintenance database, in which tests create their own.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// The variables for tests: where the server is, and how to start a cluster of their own that they can kill.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let mut variables =
            vec![("PLINTH_TEST_POSTGRES", self.url()), ("PLINTH_TEST_POSTGRES_BIN", self.bin.display().to_string())];
        // The server refuses to run as root; a test that starts one needs the name of an account.
        variables.extend(self.account.as_ref().map(|account| ("PLINTH_TEST_POSTGRES_USER", account.name.to_owned())));
        variables
    }

    pub fn about(&self) -> String {
        format!("PostgreSQL {} from {}, port {}", self.version, self.bin.display(), self.port)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        server::stop(&self.reaper, &mut self.server);
    }
}

/// The command `postgres`: a server in the foreground, until Ctrl-C.
pub fn serve(from: Option<Source>) -> Result<ExitCode, String> {
    let reaper = Arc::new(Reaper::start()?);
    let directory = workspace::target().join("xtask");
    fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let log = directory.join("postgres-serve.log");
    let mut cluster = Cluster::start(&reaper, from, &log, Instant::now() + SERVE_LIMIT)?;
    println!("# {}; Ctrl-C stops it and removes its data", cluster.about());
    for (name, value) in cluster.environment() {
        println!("export {name}={value}");
    }
    // Ctrl-C ends this process at once; the reaper then ends the server.
    let status = cluster.server.wait();
    Err(format!("the server exited: {status:?}"))
}
