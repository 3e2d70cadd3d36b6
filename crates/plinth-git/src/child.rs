//! The git program as a child: fixed environment, limits on time and memory, and never a word from a user in an argument.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions};

use super::watchdog::Watchdog;
use plinth_base::error::{Error, Result, reports_storage_failure};

/// What git says about a failure; the rest is read and forgotten.
const STDERR_MAX: u64 = 16 * 1024;
/// Answers that are collected whole are a few words long.
const ANSWER_MAX: u64 = 64 * 1024;

/// Threads that the settings allow; all of them may be busy all the time.
const THREADS: u64 = 2;

/// Settings that no file may change: nothing runs but git itself, and nothing is fetched. We sync what we keep.
const SETTINGS: [&str; 12] = [
    "core.hooksPath=/dev/null",
    "safe.bareRepository=explicit",
    "safe.directory=*",
    "protocol.allow=never",
    "core.fsync=none",
    "core.packedGitWindowSize=32m",
    "core.packedGitLimit=1g",
    "core.bigFileThreshold=32m",
    "pack.windowMemory=128m",
    "pack.threads=2",
    "transfer.advertiseSID=false",
    "gc.auto=0",
];

/// How long a child may run and how much it may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub time: Duration,
    pub memory: u64,
    pub file_size: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(600), memory: 2 << 30, file_size: 16 << 30 }
    }
}

/// A git command that is being put together.
pub(super) struct GitCommand {
    command: Command,
    subcommand: &'static str,
    arguments: Vec<OsString>,
    limits: Limits,
}

impl GitCommand {
    pub(super) fn new(directory: &Path, subcommand: &'static str, limits: Limits) -> Self {
        let mut command = Command::new("git");
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into()))
            .env("HOME", "/nonexistent")
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .current_dir("/")
            .arg("--git-dir")
            .arg(directory);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        let new = Self { command, subcommand, arguments: Vec::new(), limits };
        SETTINGS.into_iter().fold(new, Self::setting)
    }

    /// One more setting; it wins over those before it.
    pub(super) fn setting(mut self, setting: &'static str) -> Self {
        self.command.args(["-c", setting]);
        self
    }

    pub(super) fn args<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(mut self, arguments: I) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    pub(super) fn env(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(super) fn stdin(mut self, stdin: impl Into<Stdio>) -> Self {
        self.command.stdin(stdin);
        self
    }

    pub(super) fn stdout(mut self, stdout: impl Into<Stdio>) -> Self {
        self.command.stdout(stdout);
        self
    }

    pub(super) fn spawn(mut self) -> Result<GitChild> {
        self.command.arg(self.subcommand).args(&self.arguments);
        GitChild::start(self.command.spawn()?, self.limits)
    }

    /// Feeds the child, waits for it, and gives its short answer. Only for commands that read before they write.
    pub(super) fn run(self, feed: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Ending> {
        let mut child = self.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut stdin = io::BufWriter::new(child.take_stdin());
        let fed = feed(&mut stdin).and_then(|()| stdin.flush());
        drop(stdin);
        let mut answer = String::new();
        child.take_stdout().take(ANSWER_MAX).read_to_string(&mut answer)?;
        let ending = child.wait()?;
        match fed {
            // A child that dies early breaks the pipe; its own words say why.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            Err(_) | Ok(()) => Ok(Ending { answer, ..ending }),
        }
    }
}

/// The version of the git program, such as `git version 2.47.0`.
pub fn program_version() -> Result<String> {
    let output = Command::new("git").arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|error| Error::BadRequest(format!("the program git cannot be started: {error}")))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::BadRequest(format!("the program git does not run: {complaint}")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// How a child ended.
#[derive(Debug)]
pub(super) struct Ending {
    pub success: bool,
    pub timed_out: bool,
    pub answer: String,
    pub complaint: String,
}

impl Ending {
    /// For commands that fail only through a fault of ours.
    pub(super) fn check(self, what: &str) -> Result<Self> {
        if self.success {
            return Ok(self);
        }
        if self.timed_out {
            return Err(Error::Unavailable(format!("{what} took too long")));
        }
        if reports_storage_failure(&self.complaint) {
            return Err(Error::Unavailable(format!("{what}: {}", self.complaint)));
        }
        Err(Error::internal(format!("{what}: {}", self.complaint)))
    }
}

/// A running git. It is killed, with all that it started, when its time is over or when this is dropped.
pub(super) struct GitChild {
    child: Child,
    group: Pid,
    stderr: Option<JoinHandle<String>>,
    watchdog: Option<Watchdog>,
}

impl GitChild {
    fn start(mut child: Child, limits: Limits) -> Result<Self> {
        let group = Pid::from_child(&child);
        // Set from outside, a moment after the start: doing it inside the child would need unsafe code.
        for (resource, value) in [
            (Resource::Data, limits.memory),
            (Resource::Cpu, (limits.time.as_secs() * THREADS).max(1)),
            (Resource::Fsize, limits.file_size),
            (Resource::Core, 0),
        ] {
            let limit = Rlimit { current: Some(value), maximum: Some(value) };
            // A child that is gone already needs no limit.
            let _ = rustix::process::prlimit(Some(group), resource, limit);
        }
        let stderr = child.stderr.take().expect("stderr is a pipe");
        let stderr = Some(thread::spawn(move || read_complaint(stderr)));
        let watchdog = Some(Watchdog::start(group, limits.time));
        Ok(Self { child, group, stderr, watchdog })
    }

    /// The child's standard input, once.
    pub(super) fn take_stdin(&mut self) -> ChildStdin {
        self.child.stdin.take().expect("stdin is a pipe and taken once")
    }

    /// The child's standard output, once.
    pub(super) fn take_stdout(&mut self) -> ChildStdout {
        self.child.stdout.take().expect("stdout is a pipe and taken once")
    }

    /// Waits for the end; the caller must have let go of the pipes.
    pub(super) fn wait(mut self) -> Result<Ending> {
        let timed_out = self.wait_unreaped()?;
        let status = self.child.wait()?;
        let complaint = self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        Ok(Ending { success: status.success(), timed_out, answer: String::new(), complaint })
    }

    /// Until the child is reaped its number cannot be given to another process, so killing by it is safe.
    fn wait_unreaped(&mut self) -> Result<bool> {
        rustix::process::waitid(WaitId::Pid(self.group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
            .map_err(io::Error::from)?;
        let timed_out = self.watchdog.take().is_some_and(Watchdog::stop);
        let _ = rustix::process::kill_process_group(self.group, Signal::KILL);
        Ok(timed_out)
    }
}

impl Drop for GitChild {
    fn drop(&mut self) {
        if self.watchdog.is_some() {
            let _ = rustix::process::kill_process_group(self.group, Signal::KILL);
            let _ = self.wait_unreaped();
            let _ = self.child.wait();
        }
    }
}

fn read_complaint(mut stderr: impl Read) -> String {
    let mut complaint = Vec::new();
    let _ = stderr.by_ref().take(STDERR_MAX).read_to_end(&mut complaint);
    let _ = io::copy(&mut stderr, &mut io::sink());
    String::from_utf8_lossy(&complaint).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_child_that_hangs_is_killed_when_its_time_is_over() {
        let limits = Limits { time: Duration::from_millis(100), ..Limits::default() };
        let start = Instant::now();
        let mut child = GitCommand::new(Path::new("/nonexistent"), "hash-object", limits)
            .args(["--stdin"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("git starts");
        let _held_open = child.take_stdin();
        let ending = child.wait().expect("it ends");
        assert!(ending.timed_out && !ending.success && start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_child_that_is_dropped_is_gone() {
        let mut child = GitCommand::new(Path::new("/nonexistent"), "hash-object", Limits::default())
            .args(["--stdin"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("git starts");
        let _held_open = child.take_stdin();
        let process = format!("/proc/{}", child.group.as_raw_nonzero());
        assert!(Path::new(&process).exists());
        drop(child);
        assert!(!Path::new(&process).exists());
    }

    #[test]
    fn a_child_cannot_take_more_memory_than_allowed() {
        let limits = Limits { memory: 48 * 1024 * 1024, ..Limits::default() };
        let ending = GitCommand::new(Path::new("/nonexistent"), "hash-object", limits)
            .args(["--stdin"])
            .run(|stdin| (0..200).try_for_each(|_| stdin.write_all(&[7; 1024 * 1024])))
            .expect("it ends");
        assert!(!ending.success && ending.complaint.contains("emory"), "{ending:?}");
    }
}
