//! A second process that cleans up when the first one ends, however it ends: by Ctrl-C, by a panic, by `kill -9`.
//!
//! It reads from a pipe. The first process registers what it starts and unregisters what has ended; when the pipe closes,
//! the reaper ends what is still registered. A signal handler could not do this for `kill -9`, and would need unsafe code
//! or a dependency.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::signal::{self, Signal};

/// How long a process may take to exit before it is killed.
pub const GRACE: Duration = Duration::from_secs(10);

/// Something that must not outlive this process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// A process group, by the id of its leader.
    Group(u32),
    /// A PostgreSQL server, by its process id.
    Postgres(u32),
    /// A directory, removed after the processes have ended.
    Directory(PathBuf),
}

/// The first process's end of the pipe.
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
            // The terminal sends Ctrl-C to our group, and the reaper must survive it.
            .process_group(0)
            .spawn()
            .map_err(|error| format!("cannot start the reaper: {error}"))?;
        let pipe = Mutex::new(child.stdin.take());
        Ok(Self { child, pipe })
    }

    /// From now on, the resource ends with this process.
    pub fn register(&self, resource: &Resource) {
        self.write(&format!("+{}\n", resource.to_line()));
    }

    /// The resource has ended.
    pub fn unregister(&self, resource: &Resource) {
        self.write(&format!("-{}\n", resource.to_line()));
    }

    fn write(&self, line: &str) {
        let mut pipe = self.pipe.lock().expect("no writer panics");
        if let Some(pipe) = pipe.as_mut() {
            // The run can continue without a reaper.
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

/// The second process: waits until the pipe closes, then ends what is registered.
pub fn run() -> Result<ExitCode, String> {
    let mut registered = BTreeSet::new();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        update(&mut registered, &line);
    }
    end(&registered);
    Ok(ExitCode::SUCCESS)
}

fn update(registered: &mut BTreeSet<Resource>, line: &str) {
    if let Some(resource) = line.strip_prefix('+').and_then(Resource::from_line) {
        registered.insert(resource);
    } else if let Some(resource) = line.strip_prefix('-').and_then(Resource::from_line) {
        registered.remove(&resource);
    }
}

fn end(registered: &BTreeSet<Resource>) {
    registered.iter().for_each(|resource| resource.send(Signal::Terminate));
    let limit = Instant::now() + GRACE;
    while Instant::now() < limit && registered.iter().any(Resource::is_alive) {
        std::thread::sleep(Duration::from_millis(50));
    }
    registered.iter().for_each(|resource| resource.send(Signal::Kill));
    for resource in registered {
        if let Resource::Directory(path) = resource {
            let _ = fs::remove_dir_all(path);
        }
    }
}

impl Resource {
    fn send(&self, signal: Signal) {
        match (self, signal) {
            (Resource::Group(id), signal) => signal::send(signal, -i64::from(*id)),
            // The server's children have their own groups; on SIGQUIT the server ends them and itself at once.
            (Resource::Postgres(id), Signal::Terminate) => signal::send(Signal::Quit, i64::from(*id)),
            (Resource::Postgres(id), signal) => signal::send(signal, i64::from(*id)),
            (Resource::Directory(_), _) => {}
        }
    }

    fn is_alive(&self) -> bool {
        match self {
            Resource::Group(id) => signal::is_alive(-i64::from(*id)),
            Resource::Postgres(id) => signal::is_alive(i64::from(*id)),
            Resource::Directory(_) => false,
        }
    }

    fn to_line(&self) -> String {
        match self {
            Resource::Group(id) => format!("group {id}"),
            Resource::Postgres(id) => format!("postgres {id}"),
            Resource::Directory(path) => format!("directory {}", path.display()),
        }
    }

    fn from_line(line: &str) -> Option<Self> {
        let (kind, value) = line.split_once(' ')?;
        match kind {
            "group" => value.parse().ok().map(Resource::Group),
            "postgres" => value.parse().ok().map(Resource::Postgres),
            "directory" => Some(Resource::Directory(value.into())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resource_survives_the_pipe() {
        for resource in [Resource::Group(7), Resource::Postgres(8), Resource::Directory("/tmp/with a space".into())] {
            assert_eq!(Resource::from_line(&resource.to_line()), Some(resource));
        }
        for line in ["", "group", "group -1", "group x", "tree 4"] {
            assert_eq!(Resource::from_line(line), None, "{line}");
        }
    }

    #[test]
    fn unregistered_resource_is_not_ended() {
        let mut registered = BTreeSet::new();
        for line in ["+group 1", "+group 2", "-group 1", "nonsense"] {
            update(&mut registered, line);
        }
        assert_eq!(registered, BTreeSet::from([Resource::Group(2)]));
    }
}
