//! The server as a child process.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::Error;

/// Ends the server when this process ends without a drop, as with a server in a `static`: its input closes then.
const GUARD: &str = r#"read -r line; kill "$1"; rm -rf "$2""#;

/// What the server prints when it is ready.
#[derive(serde::Deserialize)]
pub struct Ready {
    pub url: String,
    /// Set if the flags contain `--control`.
    pub control_url: Option<String>,
    pub control_token: Option<String>,
}

/// Ends the server when it is dropped.
pub struct Process {
    server: Child,
    guard: Option<Child>,
    /// Contains the state file, unless that is the user's own.
    _temporary: TempDir,
}

impl Process {
    /// Returns when the server is ready.
    pub fn start(program: Option<PathBuf>, flags: Vec<OsString>, temporary: TempDir) -> Result<(Self, Ready), Error> {
        let program = program.map(OsString::from).or_else(|| std::env::var_os("PLINTH"));
        let mut command = Command::new(program.unwrap_or("plinth".into()));
        command.args(["serve", "--ready-json"]).args(flags).stdin(Stdio::null()).stdout(Stdio::piped());
        // Settings for another server must not change this one.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"PLINTH_")) {
            command.env_remove(name);
        }
        let mut process = Self { server: command.spawn().map_err(Error::Program)?, guard: None, _temporary: temporary };
        let mut line = String::new();
        if let Some(output) = process.server.stdout.as_mut() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let ready = serde_json::from_str(&line).map_err(|_| Error::NotReady)?;
        process.guard = Some(process.start_guard()?);
        Ok((process, ready))
    }

    fn start_guard(&self) -> Result<Child, Error> {
        let mut command = Command::new("sh");
        command.args(["-c", GUARD, "plinth-guard"]).arg(self.server.id().to_string()).arg(self._temporary.path());
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        // A group of its own: an interrupt from the terminal ends the server by itself.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(command.spawn()?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // On SIGTERM it removes its temporary files; `Child::kill` sends SIGKILL.
        let asked = Command::new("kill").arg(self.server.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            self.server.kill().ok();
        }
        self.server.wait().ok();
        // Before the id of the server is used for another process.
        if let Some(guard) = &mut self.guard {
            guard.kill().ok();
            guard.wait().ok();
        }
    }
}
