//! The server as a child process.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::Error;

/// Ends the server when it is dropped.
pub struct Process(Child);

impl Process {
    /// Returns when the server is ready, with its URL.
    pub fn start(state: &Path, flags: &[&str]) -> Result<(Self, String), Error> {
        let program = std::env::var_os("PLINTH").unwrap_or("plinth".into());
        let mut child = Command::new(program)
            .args(["serve", "--ephemeral", "--listen", "127.0.0.1:0", "--ready-json", "--state"])
            .arg(state)
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(Error::Program)?;
        let mut line = String::new();
        if let Some(output) = child.stdout.as_mut() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let process = Self(child);
        let ready: serde_json::Value = serde_json::from_str(&line).map_err(|_| Error::NotReady)?;
        let url = ready["url"].as_str().ok_or(Error::NotReady)?.to_owned();
        Ok((process, url))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // On SIGTERM it removes its temporary files; `Child::kill` sends SIGKILL.
        let asked = Command::new("kill").arg(self.0.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            self.0.kill().ok();
        }
        self.0.wait().ok();
    }
}
