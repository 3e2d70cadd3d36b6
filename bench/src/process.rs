//! Processes that listen, and commands that must succeed.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Result;

/// How long a server may take to end by itself before it is killed.
const GRACE: Duration = Duration::from_secs(20);

/// A server that tells its address in its first line; it ends with this value.
pub struct Running {
    child: Child,
    pub address: SocketAddr,
    /// Its first line.
    pub said: String,
    name: String,
}

impl Running {
    /// Starts a server and waits for its first line, which `address` reads.
    pub fn start(command: &mut Command, log: &Path, address: fn(&str) -> Option<SocketAddr>) -> Result<Self> {
        let name = format!("{command:?}");
        let errors = std::fs::File::create(log).map_err(|error| format!("{}: {error}", log.display()))?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors);
        let mut child = command.spawn().map_err(|error| format!("cannot start {name}: {error}"))?;
        let output = child.stdout.take().ok_or("the output is a pipe")?;
        let mut line = String::new();
        let read = BufReader::new(output).read_line(&mut line);
        match address(&line) {
            Some(address) if read.is_ok() => Ok(Self { child, address, said: line, name }),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                let said = std::fs::read_to_string(log).unwrap_or_default();
                Err(format!("{name} did not say where it listens: {}", said.trim()))
            }
        }
    }

    /// Starts a server that was told its address, and waits until it takes connections.
    pub fn start_at(command: &mut Command, log: &Path, address: SocketAddr, limit: Duration) -> Result<Self> {
        let name = format!("{command:?}");
        let output = || std::fs::File::create(log).map_err(|error| format!("{}: {error}", log.display()));
        command.stdin(Stdio::null()).stdout(output()?).stderr(output()?);
        let child = command.spawn().map_err(|error| format!("cannot start {name}: {error}"))?;
        let running = Self { child, address, said: String::new(), name };
        let limit = Instant::now() + limit;
        while std::net::TcpStream::connect(address).is_err() {
            if Instant::now() > limit {
                return Err(format!("{} does not listen on {address}", running.name));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(running)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks the server to end and waits until it has.
    pub fn stop(mut self) -> Result<()> {
        terminate(self.child.id());
        let limit = Instant::now() + GRACE;
        while Instant::now() < limit {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(format!("{} ended with {status}", self.name)),
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Err(error) => return Err(format!("{}: {error}", self.name)),
            }
        }
        Err(format!("{} did not end when it was asked to", self.name))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn terminate(pid: u32) {
    // Every shell has `kill` built in; the program of that name is missing on small machines.
    let mut shell = Command::new("/bin/sh");
    let _ = shell.args(["-c", r#"kill -s TERM "$1""#, "sh", &pid.to_string()]).status();
}

/// Runs a command to its end; what it wrote, if it succeeds.
pub fn succeed(command: &mut Command) -> Result<String> {
    let name = format!("{command:?}");
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("cannot start {name}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{name} failed ({}): {}", output.status, said.trim()))
}

/// The git program, deaf to the configuration of whoever runs this.
pub fn git(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(words);
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_SYSTEM", "/dev/null"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_AUTHOR_NAME", "bench"),
        ("GIT_AUTHOR_EMAIL", "bench@example.com"),
        ("GIT_COMMITTER_NAME", "bench"),
        ("GIT_COMMITTER_EMAIL", "bench@example.com"),
    ] {
        command.env(name, value);
    }
    command
}
