//! Starts and stops a server process.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::home::Syncs;
use super::setup::Setup;
use crate::process;
use crate::reaper::{GRACE, Reaper, Resource};
use crate::signal::{self, Signal};

/// Another process may take the port between our check and the server's start.
const PORT_ATTEMPTS: usize = 5;
const START_LIMIT: Duration = Duration::from_secs(60);

/// Creates the data directory.
pub fn init(setup: &Setup<'_>, bin: &Path) -> Result<(), String> {
    let mut command = setup.program(bin, "initdb");
    command.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"]);
    setup.succeed(command.arg("--pgdata").arg(setup.home.data()))
}

/// Starts the server on a free port.
pub fn start(setup: &Setup<'_>, bin: &Path) -> Result<(Child, u16), String> {
    let mut last = String::new();
    for _ in 0..PORT_ATTEMPTS {
        let port = free_port()?;
        let mut server = spawn(setup, bin, port).map_err(|error| format!("cannot start PostgreSQL: {error}"))?;
        match wait_until_ready(setup, &mut server) {
            Ok(()) => return Ok((server, port)),
            Err(text) => last = text,
        }
        stop(setup.reaper, &mut server);
    }
    Err(format!("PostgreSQL does not start: {last}"))
}

fn spawn(setup: &Setup<'_>, bin: &Path, port: u16) -> std::io::Result<Child> {
    let log = File::create(setup.home.server_log())?;
    let mut command = setup.program(bin, "postgres");
    command.arg("-D").arg(setup.home.data());
    for setting in settings(port, setup.syncs) {
        command.arg("-c").arg(setting);
    }
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).process_group(0);
    let server = command.spawn()?;
    setup.reaper.register(&Resource::Postgres(server.id()));
    Ok(server)
}

fn wait_until_ready(setup: &Setup<'_>, server: &mut Child) -> Result<(), String> {
    let deadline = setup.deadline.min(Instant::now() + START_LIMIT);
    while Instant::now() < deadline {
        if process::wait(server, Instant::now() + Duration::from_millis(100)).is_some() {
            let log = fs::read_to_string(setup.home.server_log()).unwrap_or_default();
            return Err(log.trim().to_owned());
        }
        let status = fs::read_to_string(setup.home.data().join("postmaster.pid")).unwrap_or_default();
        if is_ready(&status) {
            return Ok(());
        }
    }
    Err(format!("not ready after {} s", START_LIMIT.as_secs()))
}

/// Tests are fast rather than durable: the data is removed after the run, and tests of durability start their own clusters.
fn settings(port: u16, syncs: Syncs) -> Vec<String> {
    let sync: &[&str] = match syncs {
        Syncs::Never => &["fsync=off", "full_page_writes=off"],
        Syncs::Commits => &[],
    };
    [
        "listen_addresses=127.0.0.1",
        // A path in a deep directory may be too long for a socket, and nobody needs it.
        "unix_socket_directories=",
        "max_connections=200",
    ]
    .iter()
    .chain(sync)
    .map(|setting| (*setting).to_owned())
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

pub fn stop(reaper: &Reaper, server: &mut Child) {
    let id = server.id();
    // Do not signal a process that has ended: its id may belong to another by now.
    if let Ok(None) = server.try_wait() {
        signal::send(Signal::Quit, i64::from(id));
        if process::wait(server, Instant::now() + GRACE).is_none() {
            signal::send(Signal::Kill, i64::from(id));
            let _ = server.wait();
        }
    }
    reaper.unregister(&Resource::Postgres(id));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readiness_is_read_from_the_eighth_line() {
        let start = "1\n/data\n1700000000\n5432\n\n127.0.0.1\n  1 2\n";
        assert!(is_ready(&format!("{start}ready   \n")));
        assert!(!is_ready(&format!("{start}starting\n")));
        assert!(!is_ready(start));
        assert!(!is_ready(""));
    }
}
