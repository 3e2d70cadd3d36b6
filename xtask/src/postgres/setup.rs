//! What is available while a cluster is set up.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::account::Account;
use super::home::{Home, Syncs};
use crate::process;
use crate::reaper::Reaper;

pub struct Setup<'a> {
    pub reaper: &'a Reaper,
    pub home: &'a Home,
    pub account: Option<&'a Account>,
    pub log: &'a Path,
    pub deadline: Instant,
    pub syncs: Syncs,
}

impl Setup<'_> {
    /// Runs a command that must succeed.
    pub fn succeed(&self, command: &mut Command) -> Result<(), String> {
        process::succeed(self.reaper, command, self.log, self.deadline)
    }

    /// A program of PostgreSQL, run as the server's account.
    pub fn program(&self, bin: &Path, name: &str) -> Command {
        let mut command = Command::new(bin.join(name));
        // On macOS the server refuses to start without a locale.
        command.current_dir("/").env("LC_ALL", "C");
        if let Some(account) = self.account {
            account.apply(&mut command);
        }
        command
    }
}
