//! Running a command with a limit, its output in a file.

use std::fs::{self, File, OpenOptions};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::reaper::{Charge, GRACE, Reaper};

/// Short beside what we wait for, long beside what asking costs.
const POLL: Duration = Duration::from_millis(50);

/// The signals that we send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Terminate,
    Quit,
    Kill,
}

/// Runs a command to its end with its output appended to the log, in a process group of its own. Nothing that it
/// started is left running afterwards.
pub fn run(reaper: &Reaper, command: &mut Command, log: &Path, limit: Instant) -> Result<ExitStatus, String> {
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
    let group = Charge::Group(child.id());
    reaper.hold(&group);
    let started = Instant::now();
    let status = wait(&mut child, limit);
    if status.is_none() {
        send(Signal::Terminate, -i64::from(child.id()));
        wait(&mut child, Instant::now() + GRACE);
    }
    send(Signal::Kill, -i64::from(child.id()));
    let _ = child.wait();
    reaper.release(&group);
    status.ok_or_else(|| format!("stopped after {} s, its limit", started.elapsed().as_secs()))
}

/// As `run`, for a command that is to succeed; the end of what it said is part of the error.
pub fn succeed(reaper: &Reaper, command: &mut Command, log: &Path, limit: Instant) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = run(reaper, command, log, limit).map_err(|text| format!("{name}: {text}"))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{name} failed ({status}): {}", last_line(log).unwrap_or_default()))
}

/// The first line that a command prints, if it succeeds; for questions like `pg_config --bindir`.
pub fn ask(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.lines().next().unwrap_or_default().trim().to_owned())
}

/// Waits for a child until the limit; `None` means that it still runs.
pub fn wait(child: &mut Child, limit: Instant) -> Option<ExitStatus> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= limit {
            return None;
        }
        std::thread::sleep(POLL);
    }
}

/// Sends a signal to a process, or to a group when the number is negative. That it is gone already is not an error.
pub fn send(signal: Signal, target: i64) {
    let name = match signal {
        Signal::Terminate => "TERM",
        Signal::Quit => "QUIT",
        Signal::Kill => "KILL",
    };
    kill(name, target);
}

/// Whether a process, or any of a group when the number is negative, still exists.
pub fn is_alive(target: i64) -> bool {
    kill("0", target)
}

// The shell has `kill` built in; the program of that name is missing on small machines. Of the ways to write it, all
// shells understand this one.
fn kill(signal: &str, target: i64) -> bool {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", r#"kill -s "$1" -- "$2""#, "sh", signal, &target.to_string()]);
    let status = shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The last line of a log that says something.
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
    fn a_signal_ends_a_process_or_its_group() {
        for sign in [1, -1] {
            for signal in [Signal::Terminate, Signal::Kill] {
                let mut child = sleeper();
                let target = sign * i64::from(child.id());
                assert!(is_alive(target));
                send(signal, target);
                assert!(wait(&mut child, Instant::now() + GRACE).is_some());
                assert!(!is_alive(target));
            }
        }
    }

    #[test]
    fn a_wait_ends_at_its_limit() {
        let mut child = sleeper();
        assert!(wait(&mut child, Instant::now()).is_none());
        child.kill().expect("it still sleeps");
        child.wait().expect("it was killed");
    }
}
