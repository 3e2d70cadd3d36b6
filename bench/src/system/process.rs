//! Server processes, and commands that must succeed.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};

/// How long a server may take to exit after SIGTERM.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);

/// Names the file of counts for a program that records a profile.
const PROFILE_VARIABLE: &str = "LLVM_PROFILE_FILE";

/// A running server; it is stopped when the value is dropped.
pub struct ServerProcess {
    child: Child,
    pub address: SocketAddr,
    /// The first line of its output.
    pub first_line: String,
    name: String,
}

impl ServerProcess {
    /// Starts a server and waits for its first line, from which `parse_address` takes the address.
    pub fn start(command: &mut Command, log: &Path, parse_address: fn(&str) -> Option<SocketAddr>) -> Result<Self> {
        let name = format!("{command:?}");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(create(log)?);
        let mut child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        let output = child.stdout.take().context("the output is a pipe")?;
        let mut line = String::new();
        let read = BufReader::new(output).read_line(&mut line);
        match parse_address(&line) {
            Some(address) if read.is_ok() => Ok(Self { child, address, first_line: line, name }),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                bail!("{name} printed no address: {}", fs::read_to_string(log).unwrap_or_default().trim());
            }
        }
    }

    /// Starts a server at a given address and waits until it accepts connections.
    pub fn start_at(command: &mut Command, log: &Path, address: SocketAddr, timeout: Duration) -> Result<Self> {
        let name = format!("{command:?}");
        let output = create(log)?;
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        let child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        let server = Self { child, address, first_line: String::new(), name };
        let deadline = Instant::now() + timeout;
        while TcpStream::connect(address).is_err() {
            if Instant::now() > deadline {
                bail!("{} does not listen on {address}", server.name);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGTERM and waits for a successful exit.
    pub fn stop(mut self) -> Result<()> {
        let status = self.terminate()?;
        ensure!(status.success(), "{} exited with {status}", self.name);
        Ok(())
    }

    fn terminate(&mut self) -> Result<ExitStatus> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).with_context(|| self.name.clone())?;
        let deadline = Instant::now() + STOP_TIMEOUT;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().with_context(|| self.name.clone())? {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        bail!("{} did not exit within {} s of SIGTERM", self.name, STOP_TIMEOUT.as_secs())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // A program that records a profile writes it when it exits. Others are not worth the wait for open connections.
        if std::env::var_os(PROFILE_VARIABLE).is_some() {
            let _ = self.terminate();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn create(log: &Path) -> Result<File> {
    File::create(log).with_context(|| log.display().to_string())
}

/// Runs a command and returns its output; fails if the command fails.
pub fn output_of(command: &mut Command) -> Result<String> {
    let name = format!("{command:?}");
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {name}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    bail!("{name} failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr).trim())
}

/// The git program, independent of the user's own configuration.
pub fn git(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(arguments);
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
