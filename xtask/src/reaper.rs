//! A second process that cleans up when the first one ends, however it ends: by Ctrl-C, by a panic, by `kill -9`.
//!
//! It holds the reading end of a pipe. The first process writes down what it started and what it finished; when the pipe
//! closes, the reaper ends what is still written down. A signal handler could not do this for `kill -9`, and would need
//! unsafe code or a dependency.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::process::{Signal, is_alive, send};

/// How long a process may take to end by itself before it is killed.
pub const GRACE: Duration = Duration::from_secs(10);

/// Something to end with us.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Charge {
    /// A process group, by the id of its leader.
    Group(u32),
    /// A PostgreSQL server, by its process id.
    Postgres(u32),
    /// A directory, removed after the processes have ended.
    Directory(PathBuf),
}

/// Our side of the pipe.
pub struct Reaper {
    child: Child,
    pipe: Mutex<Option<ChildStdin>>,
}

impl Reaper {
    pub fn start() -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
        let mut child = Command::new(program)
            .arg("reaper")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C on the terminal goes to our group, and the reaper must outlive it.
            .process_group(0)
            .spawn()
            .map_err(|error| format!("cannot start the reaper: {error}"))?;
        let pipe = Mutex::new(child.stdin.take());
        Ok(Self { child, pipe })
    }

    /// From now on, ends the charge when this process ends.
    pub fn hold(&self, charge: &Charge) {
        self.write(&format!("+{}\n", charge.to_line()));
    }

    /// The charge has ended.
    pub fn release(&self, charge: &Charge) {
        self.write(&format!("-{}\n", charge.to_line()));
    }

    fn write(&self, line: &str) {
        let mut pipe = self.pipe.lock().expect("no writer panics");
        if let Some(pipe) = pipe.as_mut() {
            // Without a reaper the work itself can still go on.
            let _ = pipe.write_all(line.as_bytes());
        }
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        drop(self.pipe.lock().expect("no writer panics").take());
        let _ = self.child.wait();
    }
}

/// The second process: waits for the pipe to close, then ends what is left.
pub fn work() -> Result<ExitCode, String> {
    let mut held = BTreeSet::new();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        note(&mut held, &line);
    }
    end(&held);
    Ok(ExitCode::SUCCESS)
}

fn note(held: &mut BTreeSet<Charge>, line: &str) {
    if let Some(charge) = line.strip_prefix('+').and_then(Charge::from_line) {
        held.insert(charge);
    } else if let Some(charge) = line.strip_prefix('-').and_then(Charge::from_line) {
        held.remove(&charge);
    }
}

fn end(held: &BTreeSet<Charge>) {
    held.iter().for_each(|charge| charge.send(Signal::Terminate));
    let limit = Instant::now() + GRACE;
    while Instant::now() < limit && held.iter().any(Charge::is_alive) {
        std::thread::sleep(Duration::from_millis(50));
    }
    held.iter().for_each(|charge| charge.send(Signal::Kill));
    for charge in held {
        if let Charge::Directory(path) = charge {
            let _ = fs::remove_dir_all(path);
        }
    }
}

impl Charge {
    fn send(&self, signal: Signal) {
        match (self, signal) {
            (Charge::Group(id), signal) => send(signal, -i64::from(*id)),
            // The server's own children lead their own groups; at once, and with them, it ends on SIGQUIT.
            (Charge::Postgres(id), Signal::Terminate) => send(Signal::Quit, i64::from(*id)),
            (Charge::Postgres(id), signal) => send(signal, i64::from(*id)),
            (Charge::Directory(_), _) => {}
        }
    }

    fn is_alive(&self) -> bool {
        match self {
            Charge::Group(id) => is_alive(-i64::from(*id)),
            Charge::Postgres(id) => is_alive(i64::from(*id)),
            Charge::Directory(_) => false,
        }
    }

    fn to_line(&self) -> String {
        match self {
            Charge::Group(id) => format!("group {id}"),
            Charge::Postgres(id) => format!("postgres {id}"),
            Charge::Directory(path) => format!("directory {}", path.display()),
        }
    }

    fn from_line(line: &str) -> Option<Self> {
        let (kind, value) = line.split_once(' ')?;
        match kind {
            "group" => value.parse().ok().map(Charge::Group),
            "postgres" => value.parse().ok().map(Charge::Postgres),
            "directory" => Some(Charge::Directory(value.into())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charge_survives_the_pipe() {
        for charge in [Charge::Group(7), Charge::Postgres(8), Charge::Directory("/tmp/with a space".into())] {
            assert_eq!(Charge::from_line(&charge.to_line()), Some(charge));
        }
        for line in ["", "group", "group -1", "group x", "tree 4"] {
            assert_eq!(Charge::from_line(line), None, "{line}");
        }
    }

    #[test]
    fn what_is_released_is_not_ended() {
        let mut held = BTreeSet::new();
        for line in ["+group 1", "+group 2", "-group 1", "nonsense"] {
            note(&mut held, line);
        }
        assert_eq!(held, BTreeSet::from([Charge::Group(2)]));
    }
}
