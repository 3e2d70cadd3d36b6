//! Runs commands with a deadline, their output in a file.

use std::fs::{self, File, OpenOptions};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::reaper::{GRACE, Reaper, Resource};
use crate::signal::{self, Signal};

/// Short compared with what we wait for, long compared with the cost of a poll.
const POLL: Duration = Duration::from_millis(50);

/// Runs a command in its own process group, its output appended to the log. Nothing that it started keeps running.
pub fn run(reaper: &Reaper, command: &mut Command, log: &Path, deadline: Instant) -> Result<ExitStatus, String> {
    let file = append(log)?;
    let copy = file.try_clone().map_err(|error| format!("{}: {error}", log.display()))?;
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(copy)
        .process_group(0)
        .spawn()
        .map_err(|error| format!("cannot start {name}: {error}"))?;
    let group = Resource::Group(child.id());
    reaper.register(&group);
    let started = Instant::now();
    let status = wait(&mut child, deadline);
    if status.is_none() {
        signal::send(Signal::Terminate, -i64::from(child.id()));
        wait(&mut child, Instant::now() + GRACE);
    }
    signal::send(Signal::Kill, -i64::from(child.id()));
    let _ = child.wait();
    reaper.unregister(&group);
    status.ok_or_else(|| format!("stopped at its deadline, after {} s", started.elapsed().as_secs()))
}

/// As `run`, but fails if the command fails; the error has the last line of its output.
pub fn succeed(reaper: &Reaper, command: &mut Command, log: &Path, deadline: Instant) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = run(reaper, command, log, deadline).map_err(|text| format!("{name}: {text}"))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{name} failed ({status}): {}", last_line(log).unwrap_or_default()))
}

/// The first line of a command's output, or `None` if it fails; for commands like `pg_config --bindir`.
pub fn first_line(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.lines().next().unwrap_or_default().trim().to_owned())
}

/// Waits for a child until the deadline; `None` if it still runs.
pub fn wait(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= deadline {
            return None;
        }
        std::thread::sleep(POLL);
    }
}

/// The last line of a log that is not blank.
pub fn last_line(log: &Path) -> Option<String> {
    let text = fs::read(log).ok()?;
    let text = String::from_utf8_lossy(&text);
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

fn append(log: &Path) -> Result<File, String> {
    OpenOptions::new().create(true).append(true).open(log).map_err(|error| format!("{}: {error}", log.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleeper() -> Child {
        Command::new("sleep").arg("60").process_group(0).spawn().expect("every machine has sleep")
    }

    #[test]
    fn signal_ends_a_process_or_its_group() {
        for sign in [1, -1] {
            for signal in [Signal::Terminate, Signal::Kill] {
                let mut child = sleeper();
                let target = sign * i64::from(child.id());
                assert!(signal::is_alive(target));
                signal::send(signal, target);
                assert!(wait(&mut child, Instant::now() + GRACE).is_some());
                assert!(!signal::is_alive(target));
            }
        }
    }

    #[test]
    fn wait_ends_at_its_deadline() {
        let mut child = sleeper();
        assert!(wait(&mut child, Instant::now()).is_none());
        child.kill().expect("it still sleeps");
        child.wait().expect("it was killed");
    }
}
