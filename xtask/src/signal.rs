//! Signals to processes and process groups.

use std::process::{Command, Stdio};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Terminate,
    Quit,
    Kill,
}

/// Sends a signal to a process, or to a group if the number is negative. It may have ended already.
pub fn send(signal: Signal, target: i64) {
    let name = match signal {
        Signal::Terminate => "TERM",
        Signal::Quit => "QUIT",
        Signal::Kill => "KILL",
    };
    kill(name, target);
}

/// Whether a process exists, or any process of a group if the number is negative.
pub fn is_alive(target: i64) -> bool {
    kill("0", target)
}

// The shell has `kill` built in; the program of that name is missing on small machines. All shells accept this syntax.
fn kill(signal: &str, target: i64) -> bool {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", r#"kill -s "$1" -- "$2""#, "sh", signal, &target.to_string()]);
    let status = shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
